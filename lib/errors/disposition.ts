// The one place that decides what an error leads to. A new code without a row here does not compile.
import { ControlPlaneError, type ErrorCode } from './control-plane-error.ts'
import { PhaseError } from './phase-error.ts'
import { TransientError } from './transient-error.ts'

export type Disposition =
  /** A bug or a broken deployment: the message comes back after the visibility timeout, then goes to the dead-letter queue. */
  | { readonly kind: 'crash' }
  /** Will not get better by itself: acknowledge; the object says why. */
  | { readonly kind: 'reject' }
  /** Send a new delayed message with `attempt` + 1 and acknowledge this one. */
  | { readonly kind: 'retry'; readonly afterMs: number | undefined }
  /** Somebody else was faster: acknowledge, count, log at info. */
  | { readonly kind: 'drop' }

const reactions: Readonly<Record<ErrorCode, Disposition['kind']>> = {
  CONFIG: 'crash',
  SPEC: 'reject',
  CAPACITY: 'reject',
  HOST_UNREACHABLE: 'retry',
  HOST_IDENTITY: 'reject',
  PHASE_FAILED: 'reject',
  VERIFICATION: 'reject',
  TRANSIENT: 'retry',
  LOST_RACE: 'drop',
  SANDBOX: 'crash',
}

export function dispositionOf(error: unknown): Disposition {
  if (!(error instanceof ControlPlaneError)) return { kind: 'crash' }
  const kind = error instanceof PhaseError && error.isRetryable ? 'retry' : reactions[error.code]
  if (kind !== 'retry') return { kind }
  return { kind, afterMs: error instanceof TransientError ? error.retryAfterMs : undefined }
}

const exitCodes: Readonly<Record<ErrorCode, number>> = {
  CONFIG: 78,
  SPEC: 65,
  CAPACITY: 69,
  HOST_UNREACHABLE: 75,
  HOST_IDENTITY: 77,
  PHASE_FAILED: 70,
  VERIFICATION: 77,
  TRANSIENT: 75,
  LOST_RACE: 0,
  SANDBOX: 69,
}

/** Every code there is, as docs/errors.md explains them. */
export const errorCodes: readonly string[] = Object.keys(exitCodes)

/** The exit code of the `kpssh` command, by sysexits.h where one fits; 1 for a bug. */
export function exitCodeOf(error: unknown): number {
  return error instanceof ControlPlaneError ? exitCodes[error.code] : 1
}
