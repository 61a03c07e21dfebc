import { ControlPlaneError } from './control-plane-error.ts'

/** The host showed another key than the pinned one: quarantine it, send nothing, never retry by itself. */
export class HostIdentityError extends ControlPlaneError {
  readonly code = 'HOST_IDENTITY'
}
