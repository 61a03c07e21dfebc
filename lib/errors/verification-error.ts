import { ControlPlaneError } from './control-plane-error.ts'

/** A digest or signature does not match: never retried. */
export class VerificationError extends ControlPlaneError {
  readonly code = 'VERIFICATION'
}
