// Everything around the phase functions, in memory: a table, a cluster, queues and a fleet, all honest, on one clock that
// tests move. Queues deliver as SQS does: after the delay, at least once, in no promised order.
import type { Scope } from '../../../lib/ambient/ports.ts'
import type { HostRuns } from '../../../lib/execution/ports.ts'
import { makeChangeHost } from '../../../lib/hosts/change-host.ts'
import { hostKeyText, type HostKey, type HostRecord } from '../../../lib/hosts/host-record.ts'
import {
  configMaps,
  nodeClaims,
  nodes,
  secrets,
  sshHosts,
  sshJoinProfiles,
  sshNodeClasses,
} from '../../../lib/kubernetes/resources.ts'
import type { RunPhase } from '../../../lib/messages/run-phase.ts'
import type { PhaseDeps } from '../../../lib/phase/phase-deps.ts'
import type { PhaseOutcome } from '../../../lib/phase/phase-outcome.ts'
import { makeRunPhase } from '../../../lib/phase/run-phase.ts'
import { varsDigest, type Parameter } from '../../../lib/profile/profile.ts'
import { aClaim, aHost, t0 } from '../builders/hosts.ts'
import { aProfile } from '../builders/kubernetes.ts'
import { fakeClock, type FakeClock } from '../fakes/clock.ts'
import { fakeHistory, type FakeHistory } from '../fakes/history.ts'
import { makeFakeFleet, type FakeFleet, type FakeHost } from '../fakes/host-runs.ts'
import { fakeHostStore, type FakeHostStore } from '../fakes/host-store.ts'
import { fakeIds } from '../fakes/ids.ts'
import { fakeClusters, makeFakeKubernetes, type FakeKubernetes } from '../fakes/kubernetes.ts'
import { fakeLeaveRecipes } from '../fakes/leave-recipes.ts'
import { fakeLog } from '../fakes/log.ts'
import { fakeMessageSender, type FakeMessageSender } from '../fakes/message-sender.ts'
import { fakeRandom } from '../fakes/random.ts'

export const scripts = {
  install: 'sleep 30\necho "installed"',
  join: 'echo "joining $KPSSH_NODE_NAME"\nsleep 3\nsystemctl enable --now kubelet',
  leave: 'systemctl disable --now kubelet\nsleep 1',
}
export const vars = { k8sMinor: '1.36' }
export const activationCode = 'activation-code-0123456789'
const namespace = 'kpssh-system'

export interface PhaseWorld {
  readonly clock: FakeClock
  readonly hosts: FakeHostStore
  readonly kubernetes: FakeKubernetes
  readonly fleet: FakeFleet
  readonly history: FakeHistory
  readonly sender: FakeMessageSender
  readonly deps: PhaseDeps
  /** What the install, join and leave functions do with one message. */
  deliver(message: RunPhase, scope?: Partial<Scope>): Promise<PhaseOutcome>
  /** Delivers everything the phase queues hold, when it is due, until nothing is left. Returns the outcomes. */
  drain(): Promise<readonly PhaseOutcome[]>
  record(name?: string): HostRecord
  /** The machine behind a host. */
  machine(name?: string): FakeHost
  putProfile(overrides?: ProfileOverrides): void
  putNodeClass(overrides?: object): void
  putNodeClaim(overrides?: {
    readonly name?: string
    readonly uid?: string
    readonly deletionTimestamp?: string
  }): void
  putNode(overrides?: {
    readonly name?: string
    readonly providerID?: string
    readonly finalizers?: readonly string[]
  }): void
  tokens(): readonly string[]
}

export interface ProfileOverrides {
  readonly version?: string
  readonly install?: string
  readonly join?: string
  readonly leave?: string
  readonly timeouts?: object
  readonly parameters?: readonly Parameter[]
  readonly signatures?: object
  readonly manifests?: object
}

export interface WorldOptions {
  /** Hosts of the table; by default one that `uid-1` holds and nothing is installed on. */
  readonly hosts?: readonly HostRecord[]
  /** Instead of the fleet in memory. */
  readonly runs?: HostRuns
  readonly privateKey?: string
}

/** Held by `uid-1`; installed as the profile of the world wants it unless the test says otherwise. */
export function aWarmHost(overrides: Partial<HostRecord> = {}): HostRecord {
  return aHost({
    state: 'Claimed',
    claim: aClaim(),
    providerID: `kpssh://${namespace}/h1`,
    installed: 'demo@1',
    installedVars: varsDigest(aProfile(), vars),
    fence: 1_767_225_000,
    ...overrides,
  })
}

export function aColdHost(overrides: Partial<HostRecord> = {}): HostRecord {
  return aWarmHost({ installed: undefined, installedVars: undefined, ...overrides })
}

/** A member of the cluster, as a join left it. */
export function aMember(overrides: Partial<HostRecord> = {}): HostRecord {
  return aWarmHost({
    state: 'InUse',
    claim: aClaim({ joinedAtMs: t0 }),
    leavePending: true,
    nodeName: 'workers-abcde',
    ...overrides,
  })
}

export function makePhaseWorld(options: WorldOptions = {}): PhaseWorld {
  const { hosts: initial = [aColdHost()], privateKey = 'a private key' } = options
  const clock = fakeClock(t0)
  const hosts = fakeHostStore(...initial)
  const kubernetes = makeFakeKubernetes()
  const fleet = makeFakeFleet(clock)
  const history = fakeHistory()
  const sender = fakeMessageSender()
  const writeIDs = fakeIds('write')
  const deps: PhaseDeps = {
    hosts,
    changeHost: makeChangeHost({ hosts, nextWriteID: () => writeIDs.next() }),
    recipes: fakeLeaveRecipes(),
    installation: () => Promise.resolve('installation-1'),
    history,
    runs: options.runs ?? fleet,
    clusters: fakeClusters({ lab: kubernetes }),
    messages: sender,
    ids: fakeIds('id'),
    random: fakeRandom(7, 19, 3, 31, 11, 2, 29, 13, 5, 23),
    parseKnownHost: (text) => [{ fingerprint: text.trim() }],
  }
  const runPhase = makeRunPhase(deps)

  const world: PhaseWorld = {
    clock,
    hosts,
    kubernetes,
    fleet,
    history,
    sender,
    deps,
    deliver: (message, scope = {}) =>
      runPhase(message, { clock, log: fakeLog(), deadlineAtMs: clock.nowMs() + 60_000, ...scope }),
    drain: () => drain(world),
    record(name = 'h1') {
      const found = hosts.records.find(({ key }) => key.name === name)
      if (found === undefined) throw new Error(`Cannot find host "${name}" in the table of the test`)
      return found
    },
    machine: (name = 'h1') => fleet.host(world.record(name).address),
    putProfile({ version = '1', timeouts, parameters, signatures, manifests, ...own } = {}) {
      const spec = {
        version,
        scripts: { ...scripts, ...own },
        ...(timeouts !== undefined && { timeouts }),
        ...(parameters !== undefined && { parameters }),
        ...(signatures !== undefined && { signatures }),
        ...(manifests !== undefined && { manifests }),
      }
      kubernetes.put(sshJoinProfiles, { metadata: { name: 'demo' }, spec })
    },
    putNodeClass(overrides = {}) {
      const cluster = { endpoint: 'https://api.lab:6443', caBundle: 'Y2E=' }
      const spec = { joinProfileRef: { name: 'demo' }, vars, cluster, ...overrides }
      kubernetes.put(sshNodeClasses, { metadata: { name: 'lab' }, spec })
    },
    putNodeClaim({ name = 'workers-abcde', uid = 'uid-1', deletionTimestamp } = {}) {
      kubernetes.put(nodeClaims, {
        metadata: {
          name,
          uid,
          labels: { 'karpenter.sh/nodepool': 'workers' },
          finalizers: ['karpenter.sh/termination'],
          ...(deletionTimestamp !== undefined && { deletionTimestamp }),
        },
        spec: {
          nodeClassRef: { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'lab' },
          requirements: [],
        },
      })
    },
    putNode({ name = 'workers-abcde', providerID = 'kpssh://kpssh-system/h1', finalizers = [] } = {}) {
      kubernetes.put(nodes, { metadata: { name, finalizers: [...finalizers] }, spec: { providerID } })
    },
    tokens: () =>
      kubernetes
        .all(secrets)
        .map(({ metadata }) => (metadata as { name: string }).name)
        .filter((name) => name.startsWith('bootstrap-token-')),
  }
  seed(world, { keys: initial.map(({ key }) => key), privateKey })
  return world
}

function seed(
  world: PhaseWorld,
  { keys, privateKey }: { readonly keys: readonly HostKey[]; readonly privateKey: string },
): void {
  const { kubernetes } = world
  world.putProfile()
  world.putNodeClass()
  world.putNodeClaim()
  kubernetes.put(secrets, {
    metadata: { name: 'ssh-key', namespace },
    stringData: { privateKey },
  })
  kubernetes.put(secrets, {
    metadata: { name: 'activation', namespace },
    stringData: { 'activation-code': activationCode },
  })
  const kubeconfig =
    'clusters: [{name: "", cluster: {server: "https://published:6443", certificate-authority-data: "cHVi"}}]'
  kubernetes.put(configMaps, {
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data: { kubeconfig },
  })
  for (const { name } of keys) {
    const spec = {
      address: '192.0.2.1',
      sshKeySecretRef: { name: 'ssh-key' },
      capacity: { cpu: '4', memory: '8Gi' },
    }
    kubernetes.put(sshHosts, { metadata: { name, namespace }, spec })
  }
}

async function drain(world: PhaseWorld): Promise<readonly PhaseOutcome[]> {
  const outcomes: PhaseOutcome[] = []
  for (let round = 0; round < 1000; round += 1) {
    const due = (['install', 'join', 'leave'] as const).flatMap((queue) => world.sender.take(queue))
    if (due.length === 0) return outcomes
    for (const { message, delaySeconds = 0 } of due) {
      if (message.type !== 'RunPhase') continue
      world.clock.advance(delaySeconds * 1000)
      outcomes.push(await world.deliver(message))
    }
  }
  throw new Error(
    `Cannot drain the queues: hosts ${world.hosts.records.map(({ key }) => hostKeyText(key)).join(', ')} do not settle`,
  )
}
