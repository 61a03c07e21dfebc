// Everything around reconcile, in memory: a cluster, a table, queues and a mailbox for events, on a clock that tests move. What the
// watcher would tell of the cluster is made by the watcher's own code.
import { makeChangeHost } from '../../../lib/hosts/change-host.ts'
import type { HostRecord } from '../../../lib/hosts/host-record.ts'
import type { Resource } from '../../../lib/kubernetes/ports.ts'
import {
  daemonSets,
  nodeClaims,
  nodePools,
  nodes,
  podDisruptionBudgets,
  pods,
  sshHosts,
  sshJoinProfiles,
  sshNodeClasses,
} from '../../../lib/kubernetes/resources.ts'
import type { ClusterObserved, ClusterSnapshot } from '../../../lib/messages/cluster-observed.ts'
import type { HostChanged } from '../../../lib/messages/run-phase.ts'
import type { NodeClaim } from '../../../lib/api/node-claim.ts'
import type { SSHHost } from '../../../lib/api/ssh-host.ts'
import { makeReconcile, type ReconcileCounts } from '../../../lib/reconcile/reconcile.ts'
import type { ReconcileDeps } from '../../../lib/reconcile/reconcile-deps.ts'
import { makeClusterView, snapshotOf } from '../../../lib/watch/cluster-view.ts'
import type { ObjectTable } from '../../../lib/watch/object-table.ts'
import { aClaim, aHost, aHostKey, aJoinedHost, t0 } from '../builders/hosts.ts'
import {
  aNode,
  aNodeClaim,
  aNodeClass,
  aNodePool,
  aPod,
  aProfile,
  anSSHHost,
  isTrueNow,
} from '../builders/kubernetes.ts'
import { aHostChanged, aClusterObserved } from '../builders/messages.ts'
import { fakeClock, type FakeClock } from '../fakes/clock.ts'
import { fakeClusterItems } from '../fakes/clusters.ts'
import { fakeEventRecorder, type FakeEventRecorder } from '../fakes/event-recorder.ts'
import { fakeHostStore, type FakeHostStore } from '../fakes/host-store.ts'
import { fakeIds } from '../fakes/ids.ts'
import { fakeClusters, makeFakeKubernetes, type FakeKubernetes } from '../fakes/kubernetes.ts'
import { fakeScope, type FakeLog } from '../fakes/log.ts'
import { fakeMessageSender, type FakeMessageSender } from '../fakes/message-sender.ts'
import { fakeNodeClaimBindings } from '../fakes/node-claim-bindings.ts'
import { seededRandom } from '../fakes/random.ts'

export interface ReconcileWorld {
  readonly kubernetes: FakeKubernetes
  readonly hosts: FakeHostStore
  readonly sender: FakeMessageSender
  readonly events: FakeEventRecorder
  readonly clock: FakeClock
  readonly log: FakeLog
  readonly deps: ReconcileDeps
  /** What the watcher tells of the cluster as it is now. */
  observe(overrides?: Partial<Omit<ClusterObserved, 'snapshot'>>): Promise<ClusterObserved>
  /** One activation for the cluster as it is now, or for the message given. */
  reconcile(message?: ClusterObserved | HostChanged): Promise<ReconcileCounts>
  /** A heartbeat, `afterMs` later. */
  heartbeat(afterMs?: number): Promise<ReconcileCounts>
  hostChanged(name?: string): Promise<ReconcileCounts>
  record(name?: string): HostRecord
  /** By name. */
  nodeClaims(): Promise<readonly NodeClaim[]>
  /** What was sent to phase queues and not taken yet, as `join h1`. */
  requests(): readonly string[]
}

const settled = ['Launched', 'Registered', 'Initialized'].map((type) => isTrueNow(type))

export interface ReconcileWorldOptions {
  /** One SSHHost each, with the record of a probed, free host that is installed. */
  readonly hosts?: readonly string[]
}

/** sha256 of `{}`. */
const digestOfNoVars = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'

/** Addresses differ, or each would be the others' twin. */
export function addressOf(name: string): string {
  return `192.0.2.${name.replaceAll(/\D/g, '')}`
}

export function aFreeRecord(name: string, overrides: Partial<HostRecord> = {}): HostRecord {
  return aHost({
    key: aHostKey(name),
    address: addressOf(name),
    arch: 'amd64',
    capacity: { cpu: 4, memoryBytes: 8_589_934_592 },
    probedAtMs: t0,
    installed: 'demo@1',
    installedVars: digestOfNoVars,
    ...overrides,
  })
}

/** Cluster `lab` with NodePool `workers` of SSHNodeClass `rack` and SSHJoinProfile `demo`. */
export function aReconcileWorld({ hosts: names = ['h1'] }: ReconcileWorldOptions = {}): ReconcileWorld {
  const clock = fakeClock(t0)
  const kubernetes = makeFakeKubernetes()
  const hosts = fakeHostStore(...names.map((name) => aFreeRecord(name)))
  const sender = fakeMessageSender()
  const events = fakeEventRecorder()
  const ids = fakeIds('write')
  const { log, ...scope } = fakeScope(clock)
  const deps: ReconcileDeps = {
    clusters: fakeClusters({ lab: kubernetes }),
    hosts,
    changeHost: makeChangeHost({ hosts, nextWriteID: () => ids.next() }),
    bindings: fakeNodeClaimBindings(),
    heartbeats: fakeClusterItems(),
    sender,
    events,
    clock,
    random: seededRandom(1),
    ids,
    poolNamespace: 'kpssh-system',
    defaultPoolOf: (cluster) => cluster,
  }
  const reconcile = makeReconcile(deps)
  kubernetes.put(sshJoinProfiles, aProfile())
  kubernetes.put(sshNodeClasses, aNodeClass())
  kubernetes.put(nodePools, aNodePool())
  for (const name of names) kubernetes.put(sshHosts, anInventoryHost(name))

  const world: ReconcileWorld = {
    kubernetes,
    hosts,
    sender,
    events,
    clock,
    log,
    deps,
    async observe(overrides = {}) {
      const snapshot = await snapshotNow(kubernetes)
      return aClusterObserved({ sentAtMs: clock.nowMs(), ...overrides, snapshot })
    },
    reconcile: async (message) =>
      reconcile(message ?? (await world.observe()), { ...scope, log, deadlineAtMs: clock.nowMs() + 60_000 }),
    async heartbeat(afterMs = 30_000) {
      clock.advance(afterMs)
      return world.reconcile(await world.observe({ reason: 'Heartbeat' }))
    },
    hostChanged: (name) => world.reconcile(aHostChanged({ host: aHostKey(name), atMs: clock.nowMs() })),
    record(name = 'h1') {
      const found = hosts.records.find(({ key }) => key.name === name)
      if (found === undefined) throw new Error(`Cannot find host "${name}" in the table of the test`)
      return found
    },
    nodeClaims: async () => kubernetes.list(nodeClaims),
    requests: () =>
      sender.sent.flatMap(({ message }) =>
        message.type === 'RunPhase' ? [`${message.phase} ${message.host.name}`] : [],
      ),
  }
  return world
}

export function anInventoryHost(name: string, parts: Parameters<typeof anSSHHost>[0] = {}): SSHHost {
  return anSSHHost({ name, ...parts, spec: { address: addressOf(name), ...parts.spec } })
}

/** Asks for 1 CPU, and the scheduler found no place for it. */
export function putPendingPod(
  { kubernetes }: ReconcileWorld,
  name: string,
  parts: { readonly cpu?: string; readonly spec?: NonNullable<Parameters<typeof aPod>[0]>['spec'] } = {},
): void {
  const requests = { cpu: parts.cpu ?? '1', memory: '1Gi' }
  const spec = { ...aPod({ spec: parts.spec ?? {} }).spec, nodeName: undefined }
  kubernetes.put(pods, {
    ...aPod({ name }),
    spec: { ...spec, containers: [{ name: 'main', resources: { requests } }] },
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  })
}

/** NodeClaim `of-<host>` with its Node, on a host that joined for it. */
export async function putMember(
  world: ReconcileWorld,
  host: string,
  overrides: Partial<HostRecord> = {},
): Promise<void> {
  const [name, uid] = [`of-${host}`, `uid-of-${host}`]
  const providerID = `kpssh://kpssh-system/${host}`
  const labels = { 'karpenter.sh/nodepool': 'workers' }
  world.kubernetes.put(
    nodeClaims,
    aNodeClaim({
      name,
      metadata: { uid, labels },
      status: { providerID, nodeName: name, conditions: settled },
    }),
  )
  world.kubernetes.put(
    nodes,
    aNode({
      name,
      metadata: {
        finalizers: ['karpenter.sh/termination'],
        labels: { ...labels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
      },
      spec: { providerID, taints: [] },
    }),
  )
  await world.deps.bindings.bind(uid, aHostKey(host))
  const { state, claim, leavePending, leaveRecipe } = aJoinedHost()
  world.hosts.put(
    aFreeRecord(host, {
      version: 5,
      state,
      leavePending,
      leaveRecipe,
      providerID,
      nodeName: name,
      claim: { ...claim, ...aClaim({ nodeClaim: name, uid, joinedAtMs: t0 }) },
      ...overrides,
    }),
  )
}

/** Binds a pod to a Node, as the scheduler would. */
export function bindPod({ kubernetes }: ReconcileWorld, name: string, nodeName: string): void {
  const pod = kubernetes.raw(pods, name, 'default')
  if (pod === undefined) throw new Error(`Cannot bind pod "${name}": there is none`)
  kubernetes.put(pods, { ...pod, spec: { ...(pod.spec as object), nodeName }, status: { phase: 'Running' } })
}

async function snapshotNow(kubernetes: FakeKubernetes): Promise<ClusterSnapshot> {
  const view = makeClusterView()
  const before = kubernetes.requests.length
  await fill(kubernetes, nodePools, view.nodePools)
  await fill(kubernetes, nodeClaims, view.nodeClaims)
  await fill(kubernetes, sshHosts, view.sshHosts)
  await fill(kubernetes, sshNodeClasses, view.nodeClasses)
  await fill(kubernetes, sshJoinProfiles, view.profiles)
  await fill(kubernetes, nodes, view.nodes)
  await fill(kubernetes, pods, view.pods)
  await fill(kubernetes, daemonSets, view.daemonSets)
  await fill(kubernetes, podDisruptionBudgets, view.podDisruptionBudgets)
  // The watcher's reads are not reconcile's.
  kubernetes.requests.splice(before)
  return snapshotOf(view)
}

async function fill<T extends { readonly metadata: { readonly uid: string } }>(
  kubernetes: FakeKubernetes,
  resource: Resource<T>,
  table: Pick<ObjectTable<T>, 'put'>,
): Promise<void> {
  for (const object of await kubernetes.list(resource)) table.put(object.metadata.uid, object)
}
