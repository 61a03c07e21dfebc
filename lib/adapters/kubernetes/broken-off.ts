import { ControlPlaneError } from '../../errors/control-plane-error.ts'
import { TransientError } from '../../errors/transient-error.ts'

/** What ends the reading of an answer before its end, as an error of ours. */
export function brokenOff(error: unknown, doing: string): ControlPlaneError {
  if (error instanceof ControlPlaneError) return error
  return new TransientError(`Cannot ${doing}: the answer broke off, it is tried again later`, {
    reason: 'AnswerBrokenOff',
    cause: error,
  })
}
