// Watches a run on a host until it ends, in slices, however often contact is lost on the way; or until the person has seen
// enough. The host carries the run out by itself either way.
import type { Clock } from '../ambient/ports.ts'
import { HostError } from '../errors/host-error.ts'
import type { HostKeyPin } from '../hosts/host-record.ts'
import type { Reported, RunOutcome, RunReport, Watch } from '../execution/ports.ts'
import type { Console } from './console.ts'

export interface FollowDeps {
  readonly clock: Clock
  readonly console: Console
}

export interface Following {
  readonly label: string
  /** When the host has certainly ended the run. */
  readonly deadlineAtMs: number
  readonly areHostKeysShown?: boolean
  /** The first contact: starts the run, or attaches to it. */
  readonly begin: (watch: Watch) => Promise<Reported<RunReport>>
  /** Every further one. */
  readonly attach: (watch: Watch) => Promise<Reported<RunReport>>
}

export type Followed =
  | { readonly kind: 'ended'; readonly outcome: RunOutcome }
  /** The person has seen enough; the run goes on. */
  | { readonly kind: 'detached' }
  /** Nothing was begun yet when the person had enough. */
  | { readonly kind: 'stopped' }

const sliceMs = 15_000
const pauseMs = 2_000

/** Throws HostError and what contact throws: HostIdentityError, SpecError. */
export async function followRun(deps: FollowDeps, following: Following): Promise<Followed> {
  const stop = new AbortController()
  const unsubscribe = deps.console.onInterrupt(() => stop.abort())
  try {
    return await follow(deps, following, stop.signal)
  } catch (error) {
    const isStopped = stop.signal.aborted && error instanceof HostError && error.reason === 'Cancelled'
    if (isStopped) return { kind: 'stopped' }
    throw error
  } finally {
    unsubscribe()
  }
}

async function follow(deps: FollowDeps, following: Following, signal: AbortSignal): Promise<Followed> {
  const { clock, console } = deps
  let offset = 0
  let contact = following.begin
  for (let isFirst = true; ; isFirst = false) {
    const nextAtMs = clock.nowMs() + pauseMs
    const { report, hostKeys } = await lookOnce(deps, { contact, offset, isFirst, signal })
    if (isFirst && following.areHostKeysShown !== true) showHostKeys(console, hostKeys)
    if (report.kind === 'finished') return { kind: 'ended', outcome: report.outcome }
    if (signal.aborted) return { kind: 'detached' }
    if (report.kind === 'running') {
      offset = report.offset
      contact = following.attach
    } else if (report.kind === 'indeterminate') {
      console.note(`${report.message}, trying again\n`)
    } else {
      throw refusal(following.label, report)
    }
    // A host that answers at once is not asked in a circle.
    if (clock.nowMs() < nextAtMs) await clock.wait(nextAtMs - clock.nowMs(), signal)
    if (clock.nowMs() > following.deadlineAtMs) throw neverEnded(following.label)
  }
}

interface Look {
  readonly contact: Following['begin']
  readonly offset: number
  readonly isFirst: boolean
  readonly signal: AbortSignal
}

/** Once there was contact, a host that cannot be reached for a while is no reason to stop watching. */
async function lookOnce(
  { console }: FollowDeps,
  { contact, offset, isFirst, signal }: Look,
): Promise<Reported<RunReport>> {
  try {
    return await contact({
      waitMs: sliceMs,
      offset,
      signal,
      onOutput: (stream, chunk) => (stream === 'stdout' ? console.out(chunk) : console.note(chunk)),
    })
  } catch (error) {
    if (isFirst || !(error instanceof HostError)) throw error
    return { report: { kind: 'indeterminate', message: error.message }, hostKeys: [] }
  }
}

export function showHostKeys(console: Console, hostKeys: readonly HostKeyPin[]): void {
  for (const { type, fingerprint } of hostKeys) console.note(`host key ${type ?? ''} ${fingerprint}\n`)
}

type Refused = Exclude<RunReport, { readonly kind: 'finished' | 'running' | 'indeterminate' }>

function refusal(label: string, report: Refused): HostError {
  if (report.kind === 'unknown') {
    return new HostError(
      `Cannot follow the run on "${label}": the host knows no such run, it was not started there`,
      {
        reason: 'RunUnknown',
      },
    )
  }
  return new HostError(report.message, { reason: report.reason })
}

function neverEnded(label: string): HostError {
  return new HostError(
    `Cannot follow the run on "${label}" to its end: its deadline passed and the host still reports it, look at the host`,
    { reason: 'RunOverdue' },
  )
}
