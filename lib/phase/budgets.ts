// How long and how often. A budget that is spent ends in a record that says so, never in silence.
import type { Random, Scope } from '../ambient/ports.ts'
import type { HostRecord, Run } from '../hosts/host-record.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs

/** Longer than the slowest contact (connect, handshake, login, answer, one slice), so that a slow host does not lose its watcher. */
export const leaseMs = 120 * secondMs
/** One wait on the host for the end of a run; the lease is renewed between two of them. */
export const sliceMs = 20 * secondMs
/** A host that says at once that the run goes on, instead of waiting for its end, is not asked more often than this. */
export const paceMs = 2 * secondMs
/** Kept free at the end of an invocation for the last writes and the message that goes on. */
export const closingMs = 8 * secondMs
/** Less than this left: nothing is started that the invocation could not see through its first contact. */
export const openingMs = 20 * secondMs
/** What a contact may take beside the run that it waits for: connect, handshake, login, and the last word. */
const contactMs = 75 * secondMs
/**
 * A script that ends with its connection may take as long as one invocation can wait for it. Functions that run phases last 900 s
 * (attachedSeconds in serverless.yml).
 */
export const longestAttachedMs = 800 * secondMs
/** After the host should have ended a run by itself, this long is its outcome still asked for. */
const graceMs = 3 * minuteMs
/** How long a request that follows from a run is worth trying. */
export const requestWindowMs = 30 * minuteMs
/** Leaves in a row that may fail before the claim is given up and the Node deleted: a dead host must not be paid for. */
export const maxLeaveAttempts = 3
/** Installs that a reboot of the host interrupted. */
export const maxInterruptedInstalls = 3
/** How long a bootstrap token outlives the time in which join must have used it. */
export const tokenMarginMs = 10 * minuteMs
export const minTokenMs = 60 * minuteMs
/** A queue keeps no message back longer than this. */
export const maxDelaySeconds = 900

/** Nothing may be begun any more that takes a contact with a host. */
export function isTimeUp({ clock, deadlineAtMs, signal }: Scope): boolean {
  return signal?.aborted === true || deadlineAtMs - clock.nowMs() < openingMs
}

/** Runs that go on without us are watched in turns of this length, so that no few of them keep an invocation for themselves. */
const turnMs = minuteMs

export function watchedInTurns(scope: Scope): Scope {
  return { ...scope, deadlineAtMs: Math.min(scope.deadlineAtMs, scope.clock.nowMs() + turnMs) }
}

/** What is left until then, but for the last writes. */
export function leftUntilMs(atMs: number, { clock }: Pick<Scope, 'clock'>): number {
  return Math.max(0, atMs - clock.nowMs() - closingMs)
}

/** How long a run may last, from now on, that ends with the invocation. */
export function attachedUntilMs(endsAtMs: number, scope: Pick<Scope, 'clock'>): number {
  return Math.max(0, leftUntilMs(endsAtMs, scope) - contactMs)
}

const startTries: Readonly<Record<RunPhaseName, number>> = { install: 4, join: 4, leave: 3 }

/** Whether a phase that could not be started may be tried once more under the same request. */
export function hasTriesLeft(phase: RunPhaseName, attempt: number): boolean {
  return attempt < startTries[phase]
}

/** How long a host that is busy with something else is left alone: as after so many tries, about half a minute. */
export const busyPace = 4

/** 5 s, 10 s, 20 s, ... at most a minute, each a quarter more or less, so that hosts of one burst do not come back together. */
export function retryDelayMs(attempt: number, random: Random): number {
  const base = Math.min(minuteMs, 5 * secondMs * 2 ** Math.min(Math.max(attempt, 1) - 1, 10))
  return Math.round(base * 0.75) + random.below(Math.round(base * 0.5))
}

/** Until when the end of a run is asked for: the host would have ended it long before. */
export function watchedUntilMs(run: Run): number {
  return run.startedAtMs + run.timeoutMs + graceMs
}

/** Whether a script that was cut off from us may be going on: its host sets it no limit, so that its own must do. */
export function mayGoOnUnseen({ startedAtMs, timeoutMs }: Run, nowMs: number): boolean {
  return nowMs < startedAtMs + timeoutMs
}

export function isLeaveBudgetSpent(record: HostRecord): boolean {
  return record.leaveAttempts >= maxLeaveAttempts
}
