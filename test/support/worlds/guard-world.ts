// Everything around the guard, in memory: a table, a cluster and a mailbox, on a clock that stands still.
import { makeChangeHost } from '../../../lib/hosts/change-host.ts'
import type { HostRecord } from '../../../lib/hosts/host-record.ts'
import type { GuardDeps } from '../../../lib/guard/guard-deps.ts'
import { defaultGuardSettings } from '../../../lib/guard/guard-settings.ts'
import { makeGuard, type Guard } from '../../../lib/guard/run-guard.ts'
import { nodeClaims, nodes, secrets } from '../../../lib/kubernetes/resources.ts'
import { t0 } from '../builders/hosts.ts'
import type { Condition } from '../../../lib/api/object-meta.ts'
import { aNode, aNodeClaim } from '../builders/kubernetes.ts'
import { fakeClock, type FakeClock } from '../fakes/clock.ts'
import { fakeClusterItems } from '../fakes/clusters.ts'
import { fakeGauges, type FakeGauges } from '../fakes/gauges.ts'
import { fakeHostStore, type FakeHostStore } from '../fakes/host-store.ts'
import { fakeIds } from '../fakes/ids.ts'
import { fakeClusters, makeFakeKubernetes, type FakeKubernetes } from '../fakes/kubernetes.ts'
import { fakeScope } from '../fakes/log.ts'
import { fakeMessageSender, type FakeMessageSender } from '../fakes/message-sender.ts'

export interface GuardWorld {
  readonly hosts: FakeHostStore
  readonly kubernetes: FakeKubernetes
  readonly sender: FakeMessageSender
  readonly gauges: FakeGauges
  readonly clock: FakeClock
  readonly scope: ReturnType<typeof fakeScope>
  readonly deps: GuardDeps
  readonly guard: Guard
  record(name?: string): HostRecord | undefined
  putNodeClaim(uid?: string): void
  /** NotReady, as the Node of a stopped agent becomes, unless told otherwise. */
  putNode(providerID?: string, conditions?: readonly Condition[]): void
  putToken(tokenID: string): void
}

export function aGuardWorld(...records: readonly HostRecord[]): GuardWorld {
  const hosts = fakeHostStore(...records)
  const kubernetes = makeFakeKubernetes()
  const sender = fakeMessageSender()
  const gauges = fakeGauges()
  const clock = fakeClock(t0)
  const ids = fakeIds('write')
  const deps: GuardDeps = {
    hosts,
    changeHost: makeChangeHost({ hosts, nextWriteID: () => ids.next() }),
    clusters: fakeClusters({ lab: kubernetes }),
    heartbeats: fakeClusterItems(),
    messages: sender,
    gauges,
    settings: defaultGuardSettings,
    clusterNames: [],
  }
  return {
    hosts,
    kubernetes,
    sender,
    gauges,
    clock,
    scope: fakeScope(clock),
    deps,
    guard: makeGuard(deps),
    record: (name = 'h1') => hosts.records.find(({ key }) => key.name === name),
    putNodeClaim: (uid = 'uid-1') => void kubernetes.put(nodeClaims, aNodeClaim({ metadata: { uid } })),
    putNode: (providerID = 'kpssh://kpssh-system/h1', conditions = []) =>
      void kubernetes.put(nodes, aNode({ spec: { providerID }, status: { conditions: [...conditions] } })),
    putToken: (tokenID) =>
      void kubernetes.put(secrets, {
        metadata: { name: `bootstrap-token-${tokenID}`, namespace: 'kube-system' },
      }),
  }
}
