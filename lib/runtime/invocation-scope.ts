// How long an invocation may work. Lambda kills without a word, so work ends a little earlier by itself: enough to answer
// what was done and what was not.
import type { Facts, Log, Scope } from '../ambient/ports.ts'
import type { Invocation, Runtime } from './runtime.ts'

const reserveMs = 2_000

export interface InvocationScope {
  readonly scope: Scope
  /** Resolves to `undefined` at the deadline, and then also aborts the scope's signal. */
  readonly deadline: Promise<undefined>
  /** Ends the wait for the deadline. */
  readonly close: () => void
}

export function openScope(context: Invocation, { clock, log }: Runtime): InvocationScope {
  const leftMs = Math.max(context.getRemainingTimeInMillis() - reserveMs, 0)
  const stop = new AbortController()
  const closed = new AbortController()
  const deadline = clock.wait(leftMs, closed.signal).then(() => {
    if (!closed.signal.aborted) stop.abort()
    return undefined
  })
  const scope = { clock, log, deadlineAtMs: clock.nowMs() + leftMs, signal: stop.signal }
  return { scope, deadline, close: () => closed.abort() }
}

/** The same log, with facts that every line carries. */
export function withFacts(log: Log, always: Facts): Log {
  return {
    info: (event, facts) => log.info(event, { ...always, ...facts }),
    warn: (event, facts) => log.warn(event, { ...always, ...facts }),
    error: (event, facts) => log.error(event, { ...always, ...facts }),
  }
}
