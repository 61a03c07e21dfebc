import { ControlPlaneError } from './control-plane-error.ts'

/** No host fits. */
export class CapacityError extends ControlPlaneError {
  readonly code = 'CAPACITY'
}
