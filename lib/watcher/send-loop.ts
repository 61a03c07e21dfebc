// Sends what the view says when lib/watch/pacing says so. One message at a time, and none is kept: a message that could
// not be sent is replaced by the state at the next attempt.
import type { Clock, Log } from '../ambient/ports.ts'
import type { ClusterObserved } from '../messages/cluster-observed.ts'
import { initialPacing, nextDue, type PacingEvent, type PacingSettings, stepPacing } from '../watch/pacing.ts'
import type { Tell } from './tell-cluster.ts'

export interface SendLoopDeps {
  readonly tell: Tell
  readonly clock: Clock
  readonly log: Log
  readonly pacing: PacingSettings
}

export interface SendLoop {
  note(event: 'synced' | 'unsynced' | 'changed'): void
  /** Until `signal` aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
  report(): SendReport
}

export interface SendReport {
  readonly sent: number
  readonly lastSentAtMs: number | undefined
  /** Since when every attempt failed. */
  readonly failingSinceMs: number | undefined
}

export function makeSendLoop({ tell, clock, log, pacing: settings }: SendLoopDeps): SendLoop {
  let pacing = initialPacing
  let wake = new AbortController()
  let sent = 0
  let failingSinceMs: number | undefined

  function step(event: PacingEvent): void {
    pacing = stepPacing(pacing, { event, nowMs: clock.nowMs() }, settings)
  }
  function dueAtMs(): number {
    return nextDue(pacing, settings)?.atMs ?? Number.POSITIVE_INFINITY
  }
  async function sendOnce(reason: ClusterObserved['reason']): Promise<void> {
    step('sending')
    try {
      const message = await tell(reason)
      failingSinceMs = undefined
      step(message === undefined ? 'unchanged' : 'sent')
      if (message === undefined) return
      sent += 1
      log.info('watcher.sent', { reason, ...sizesOf(message) })
    } catch (cause) {
      failingSinceMs ??= clock.nowMs()
      step('failed')
      log.warn('watcher.send-failed', { reason, cause })
    }
  }

  return {
    note(event) {
      const before = dueAtMs()
      step(event)
      if (dueAtMs() < before) wake.abort()
    },
    async run(signal) {
      while (!signal.aborted) {
        wake = new AbortController()
        const due = nextDue(pacing, settings)
        const waitMs = due === undefined ? settings.heartbeatMs : due.atMs - clock.nowMs()
        if (due !== undefined && waitMs <= 0) await sendOnce(due.reason)
        else await clock.wait(waitMs, AbortSignal.any([signal, wake.signal]))
      }
    },
    report: () => ({ sent, lastSentAtMs: pacing.lastSentAtMs, failingSinceMs }),
  }
}

function sizesOf({ snapshot, degraded }: ClusterObserved): Record<string, unknown> {
  return { nodes: snapshot.nodes.length, pendingPods: snapshot.pendingPods.length, degraded }
}
