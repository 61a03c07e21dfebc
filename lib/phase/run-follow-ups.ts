// Does what decide-follow-up.ts found to be left, then tells the cluster.
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { secrets } from '../kubernetes/resources.ts'
import { tokenSecretName, tokenSecretNamespace } from './bootstrap-token.ts'
import { decideFollowUps, type FollowUp } from './decide-follow-up.ts'
import type { Activity } from './phase-deps.ts'
import type { PhaseOutcome } from './phase-outcome.ts'
import { removeOwnNodes } from './remove-nodes.ts'
import { requestPhase, tellCluster } from './request-again.ts'

/** Everything that follows from a record on which nothing runs any more. */
export async function settle(activity: Activity, record: HostRecord): Promise<PhaseOutcome> {
  const followUps = decideFollowUps(record, activity.message)
  for (const followUp of followUps) await follow(activity, record, followUp)
  await tellCluster(activity, record)
  const { claim, lastRun } = record
  return {
    kind: 'done',
    result: lastRun?.phase === activity.message.phase ? lastRun.result : 'settled',
    facts: {
      followUps: followUps.map(({ kind }) => kind).join(' '),
      ...(lastRun?.reason === undefined ? {} : { reason: lastRun.reason }),
      ...(claim === undefined ? {} : { nodeClaim: claim.nodeClaim }),
    },
  }
}

async function follow(activity: Activity, record: HostRecord, followUp: FollowUp): Promise<void> {
  const { deps, message, scope } = activity
  switch (followUp.kind) {
    case 'collect-tokens':
      return collectTokens(activity, record)
    case 'remove-node':
      return removeOwnNodes(deps.clusters.connect(clusterOf(record)), record)
    case 'request':
      return requestPhase(activity, record, followUp)
    case 'release': {
      const { isClean, reason, message: text } = followUp
      const why = reason === undefined || text === undefined ? {} : { reason, message: text }
      const event = { kind: 'released', uid: record.claim?.uid ?? '', isClean, ...why } as const
      await deps.changeHost(message.host, event, scope.clock.nowMs())
    }
  }
}

/** By name, never by listing: strays of thousands of joins cost nothing. */
export async function collectTokens(activity: Activity, record: HostRecord): Promise<void> {
  const { deps, message, scope } = activity
  const kubernetes = deps.clusters.connect(clusterOf(record))
  for (const tokenID of record.tokenIDs) {
    await kubernetes.delete(secrets, tokenSecretName(tokenID), { namespace: tokenSecretNamespace })
    await deps.changeHost(message.host, { kind: 'token-collected', tokenID }, scope.clock.nowMs())
  }
}
