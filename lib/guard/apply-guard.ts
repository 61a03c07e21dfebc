// Does what the plan says, a few actions at a time, each for itself: a cluster that does not answer or a host that cannot be
// read costs its own action and nothing else.
import { mapBounded } from '../ambient/map-bounded.ts'
import type { Scope } from '../ambient/ports.ts'
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { secrets } from '../kubernetes/resources.ts'
import { tokenSecretName, tokenSecretNamespace } from '../phase/bootstrap-token.ts'
import { askForLeave, askForProbe, askToResume } from './ask.ts'
import { attempted } from './attempted.ts'
import { checkClaims } from './check-claims.ts'
import { checkNodes } from './check-nodes.ts'
import { confirmed, sumCounts, type GuardCounts } from './guard-counts.ts'
import type { GuardDeps } from './guard-deps.ts'
import type { GuardAction, GuardPlan } from './plan-guard.ts'

export async function applyGuard(plan: GuardPlan, deps: GuardDeps, scope: Scope): Promise<GuardCounts> {
  const { examined, waiting, actions } = plan
  const done = await mapBounded(actions, deps.settings.maxParallel, (action) => {
    const host = 'record' in action ? { host: action.record.key } : {}
    return attempted(() => perform(action, deps, scope), { scope, action: action.kind, ...host })
  })
  return sumCounts([{ examined, marked: waiting, spared: waiting }, ...done])
}

async function perform(action: GuardAction, deps: GuardDeps, scope: Scope): Promise<Partial<GuardCounts>> {
  const nowMs = scope.clock.nowMs()
  switch (action.kind) {
    case 'probe':
      await askForProbe(deps, action, nowMs)
      return { probed: action.hosts.length }
    case 'leave':
      await askForLeave(deps, { record: action.record, reason: 'LeavePending' }, nowMs)
      return confirmed
    case 'resume-run':
      await askToResume(deps, action, nowMs)
      return { resumedRuns: 1 }
    case 'check-claims':
      return checkClaims(deps, action, scope)
    case 'check-nodes':
      return checkNodes(deps, action, scope)
    case 'collect-tokens':
      return collectTokens(deps, action.record, scope)
  }
}

/** By name, from the record: a Secret that is gone already counts as collected. */
async function collectTokens(
  deps: GuardDeps,
  record: HostRecord,
  scope: Scope,
): Promise<Partial<GuardCounts>> {
  const kubernetes = deps.clusters.connect(clusterOf(record))
  for (const tokenID of record.tokenIDs) {
    await kubernetes.delete(secrets, tokenSecretName(tokenID), { namespace: tokenSecretNamespace })
    await deps.changeHost(record.key, { kind: 'token-collected', tokenID }, scope.clock.nowMs())
  }
  return { collectedTokens: record.tokenIDs.length }
}
