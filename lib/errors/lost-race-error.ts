import { ControlPlaneError } from './control-plane-error.ts'

/** Found in the middle of an activity that our fence or version is stale: stop at once and write nothing. */
export class LostRaceError extends ControlPlaneError {
  readonly code = 'LOST_RACE'
}
