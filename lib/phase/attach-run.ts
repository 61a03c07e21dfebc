import type { RunReport, Watch } from '../execution/ports.ts'
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { attachedUntilMs, leftUntilMs, sliceMs } from './budgets.ts'
import { contactHost, type Contact } from './contact.ts'
import { learnHostKeys } from './learn-from-contact.ts'
import type { Activity } from './phase-deps.ts'
import { sshTargetOf } from './ssh-target.ts'
import type { WatchedRun } from './watched-run.ts'

/** One contact with a run that may be going; waits for its end as long as a slice is. */
export async function attachRun(
  activity: Activity,
  { record, run }: WatchedRun,
  offset: number,
): Promise<Contact<RunReport>> {
  const { deps } = activity
  const contact = await contactHost(async () => {
    const kubernetes = deps.clusters.connect(clusterOf(record))
    const target = await sshTargetOf(kubernetes, record, deps.parseKnownHost)
    return deps.runs.attach(target, { runId: run.id, phase: run.phase }, { ...watchOf(activity), offset })
  })
  await learnFrom(activity, record, contact)
  return contact
}

/** How long one contact may wait on the host, so that the invocation can still write down what it learned. */
export function watchOf({ scope, endsAtMs }: Activity): Watch {
  const attachedMs = attachedUntilMs(endsAtMs, scope)
  const waitMs = Math.min(sliceMs, leftUntilMs(scope.deadlineAtMs, scope))
  return scope.signal === undefined ? { waitMs, attachedMs } : { waitMs, attachedMs, signal: scope.signal }
}

export async function learnFrom(
  { deps, scope }: Activity,
  record: HostRecord,
  contact: Contact<unknown>,
): Promise<void> {
  if (contact.kind !== 'reported') return
  await learnHostKeys(deps.changeHost, record, { hostKeys: contact.hostKeys, atMs: scope.clock.nowMs() })
}
