import { ControlPlaneError } from './control-plane-error.ts'

/** Somebody's object, profile, key or context is wrong: say so on the object and do not retry. */
export class SpecError extends ControlPlaneError {
  readonly code = 'SPEC'
}
