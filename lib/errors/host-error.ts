import { ControlPlaneError } from './control-plane-error.ts'

/** The host could not be reached or refused the login: try again later. Nothing ran unless the reason says so. */
export class HostError extends ControlPlaneError {
  readonly code = 'HOST_UNREACHABLE'
}
