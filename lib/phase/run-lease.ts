// Who watches a run: this delivery, while its lease holds. A lease that is given back lets the next delivery take over at once.
import type { ChangeOutcome } from '../hosts/change-host.ts'
import type { Run } from '../hosts/host-record.ts'
import { leaseSkewMs } from '../hosts/lease.ts'
import { leaseMs } from './budgets.ts'
import type { Activity } from './phase-deps.ts'

/** Takes the run over, or renews the lease. Refused while somebody else watches, or when the run is over. */
export async function takeLease(activity: Activity, run: Run): Promise<ChangeOutcome> {
  return setLease(activity, run.id, activity.scope.clock.nowMs() + leaseMs)
}

/** Before the message that lets somebody go on, never after it: a lease that still held would make them stop. */
export async function giveLeaseBack(activity: Activity, run: Run): Promise<void> {
  await setLease(activity, run.id, activity.scope.clock.nowMs() - leaseSkewMs)
}

function setLease(activity: Activity, runId: string, leaseUntilMs: number): Promise<ChangeOutcome> {
  const { deps, message, scope, holder } = activity
  const event = { kind: 'run-watched', runId, holder, leaseUntilMs } as const
  return deps.changeHost(message.host, event, scope.clock.nowMs())
}
