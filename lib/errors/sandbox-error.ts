import { ControlPlaneError } from './control-plane-error.ts'

/** The machine that a profile is tried on cannot be made, or failed by itself: nothing is known of the profile. */
export class SandboxError extends ControlPlaneError {
  readonly code = 'SANDBOX'
}
