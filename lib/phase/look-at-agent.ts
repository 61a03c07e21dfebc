import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { contactHost, type Contact } from './contact.ts'
import type { AgentReport } from './decide-left.ts'
import { probeFactsOf } from './learn-from-contact.ts'
import type { Activity } from './phase-deps.ts'
import { sshTargetOf } from './ssh-target.ts'

/** Looks whether the agent runs, by every unit that it may be: as the inventory says, and as it was at join. Notes what it saw. */
export async function lookAtAgent(activity: Activity, record: HostRecord): Promise<Contact<AgentReport>> {
  const { deps, message, scope } = activity
  const contact = await contactHost<AgentReport>(async () => {
    const kubernetes = deps.clusters.connect(clusterOf(record))
    const target = await sshTargetOf(kubernetes, record, deps.parseKnownHost)
    const agentUnits = await agentUnitsOf(activity, record)
    return deps.runs.probe(target, { agentUnits, ...(scope.signal && { signal: scope.signal }) })
  })
  if (contact.kind === 'reported' && contact.report.kind === 'probed') {
    const facts = probeFactsOf(contact.report, await deps.installation())
    await deps.changeHost(message.host, { kind: 'probed', facts }, scope.clock.nowMs())
  }
  return contact
}

async function agentUnitsOf({ deps }: Activity, record: HostRecord): Promise<readonly string[]> {
  const recipe = record.leaveRecipe === undefined ? undefined : await deps.recipes.get(record.leaveRecipe)
  return [...new Set([...record.agentUnits, ...(recipe?.agentUnits ?? [])])]
}
