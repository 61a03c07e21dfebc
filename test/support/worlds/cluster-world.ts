// The whole control plane in memory: reconcile, install, join, leave, probe and guard on one table, one cluster and honest fake
// hosts, with just enough of a kubelet and a scheduler. Tests lose messages, kill activations and break hosts as they like.
import { z } from 'zod'
import type { HostRuns, Reported, SshTarget } from '../../../lib/execution/ports.ts'
import type { Node } from '../../../lib/api/node.ts'
import type { Pod } from '../../../lib/api/pod.ts'
import { milliUnits } from '../../../lib/api/quantity.ts'
import { defaultGuardSettings } from '../../../lib/guard/guard-settings.ts'
import { makeGuard } from '../../../lib/guard/run-guard.ts'
import type { HostRecord } from '../../../lib/hosts/host-record.ts'
import { withoutUndefined } from '../../../lib/hosts/without-undefined.ts'
import { nodes, pods, secrets, sshJoinProfiles } from '../../../lib/kubernetes/resources.ts'
import type { ClusterObserved } from '../../../lib/messages/cluster-observed.ts'
import type { PhaseDeps } from '../../../lib/phase/phase-deps.ts'
import { makeProbeHosts } from '../../../lib/phase/run-probe.ts'
import { makeRunPhase } from '../../../lib/phase/run-phase.ts'
import { aProfile } from '../builders/kubernetes.ts'
import { fakeClusterItems } from '../fakes/clusters.ts'
import { fakeGauges } from '../fakes/gauges.ts'
import { fakeHistory } from '../fakes/history.ts'
import { fakeHostKey, makeFakeFleet, type FakeFleet, type FakeHost } from '../fakes/host-runs.ts'
import { fakeLeaveRecipes } from '../fakes/leave-recipes.ts'
import { fakeLog } from '../fakes/log.ts'
import type { SentMessage } from '../fakes/message-sender.ts'
import { scripts } from './phase-world.ts'
import { addressOf, aReconcileWorld, bindPod, putPendingPod, type ReconcileWorld } from './reconcile-world.ts'

const queues = ['install', 'join', 'leave', 'probe', 'events'] as const

export interface ClusterWorld extends ReconcileWorld {
  readonly fleet: FakeFleet
  /** Everything that the watcher told, in order. */
  readonly observed: readonly ClusterObserved[]
  machine(name: string): FakeHost
  addPod(name: string, cpu: string): void
  removePod(name: string): void
  /** Delivers what is queued, and what follows from it; each message as often as `times` says. */
  deliver(options?: { readonly times?: number }): Promise<void>
  /** Half a minute: a heartbeat, deliveries, the cluster, and every fourth time the guard. */
  live(): Promise<void>
  podNames(): readonly string[]
  unboundPods(): readonly string[]
}

export function aClusterWorld(hostNames: readonly string[]): ClusterWorld {
  const base = aReconcileWorld({ hosts: hostNames })
  const { kubernetes, clock, sender } = base
  kubernetes.put(sshJoinProfiles, aProfile({ spec: { scripts } }))
  kubernetes.put(secrets, {
    metadata: { name: 'ssh-key', namespace: 'kpssh-system' },
    stringData: { privateKey: 'a private key' },
  })
  for (const record of base.hosts.records) base.hosts.put(notInstalled(record))
  const fleet = makeFakeFleet(clock)
  const functions = makeFunctions(base, fleet)
  const observed: ClusterObserved[] = []
  let passes = 0

  /** A function that fails leaves everything to the next message. */
  async function handle({ message, delaySeconds = 0 }: SentMessage): Promise<void> {
    clock.advance(delaySeconds * 1000)
    await functions.handle(message).catch((cause: unknown) => base.log.error('test.failed', { cause }))
  }

  const world: ClusterWorld = {
    ...base,
    fleet,
    observed,
    async heartbeat(afterMs = 30_000) {
      clock.advance(afterMs)
      const message = await base.observe({ reason: 'Heartbeat' })
      observed.push(message)
      return base.reconcile(message)
    },
    machine: (name) => fleet.host(addressOf(name)),
    addPod: (name, cpu) => putPendingPod(world, name, { cpu }),
    removePod: (name) => kubernetes.vanish(pods, name, 'default'),
    async deliver({ times = 1 } = {}) {
      for (let round = 0; round < 50; round += 1) {
        const arrived = queues.flatMap((queue) => sender.take(queue))
        if (arrived.length === 0) return
        for (const message of arrived) for (let time = 0; time < times; time += 1) await handle(message)
        runCluster(world, hostNames)
      }
    },
    async live() {
      runCluster(world, hostNames)
      await world.heartbeat()
      await world.deliver()
      passes += 1
      if (passes % 4 === 0) await functions.guard()
      await world.deliver()
    },
    podNames: () => kubernetes.all(pods).map(nameOf),
    unboundPods: () =>
      allPods(world).flatMap(({ metadata, spec }) => (spec.nodeName === undefined ? [metadata.name] : [])),
  }
  return world
}

function makeFunctions(world: ReconcileWorld, fleet: FakeFleet) {
  const { deps, clock, sender } = world
  const phaseDeps: PhaseDeps = {
    ...deps,
    recipes: fakeLeaveRecipes(),
    installation: async () => 'installation-1',
    history: fakeHistory(),
    runs: withOwnKeys(fleet),
    messages: sender,
    parseKnownHost: (text) => [{ fingerprint: text.trim() }],
  }
  const guard = makeGuard({
    ...deps,
    messages: sender,
    heartbeats: fakeClusterItems(),
    gauges: fakeGauges(),
    settings: defaultGuardSettings,
    clusterNames: [],
  })
  const runPhase = makeRunPhase(phaseDeps)
  const probeHosts = makeProbeHosts(phaseDeps)
  const scope = () => ({ clock, log: fakeLog(), deadlineAtMs: clock.nowMs() + 60_000 })
  return {
    guard: () => guard(scope()),
    async handle(message: SentMessage['message']): Promise<unknown> {
      switch (message.type) {
        case 'RunPhase':
          return runPhase(message, scope())
        case 'ProbeHosts':
          return probeHosts(message, scope())
        case 'HostChanged':
        case 'ClusterObserved':
          return world.reconcile(message)
      }
    },
  }
}

/** All hosts of the fake fleet show one key; in a pool, that would make them one machine. */
function withOwnKeys(fleet: FakeFleet): HostRuns {
  const known = (target: SshTarget): SshTarget => ({
    ...target,
    pins: target.pins.length > 0 ? [fakeHostKey] : [],
  })
  const own = async <T>(target: SshTarget, contact: Promise<Reported<T>>): Promise<Reported<T>> => {
    const key = { type: 'ssh-ed25519', fingerprint: `SHA256:${target.address.padEnd(43, '0')}` }
    return { report: (await contact).report, hostKeys: [key] }
  }
  return {
    start: (target, request, watch) => own(target, fleet.start(known(target), request, watch)),
    attach: (target, run, watch) => own(target, fleet.attach(known(target), run, watch)),
    probe: (target, options) => own(target, fleet.probe(known(target), options)),
  }
}

function notInstalled(record: HostRecord): HostRecord {
  return withoutUndefined({ ...record, installed: undefined, installedVars: undefined })
}

const Named = z.object({ metadata: z.object({ name: z.string() }) })

export function nameOf(object: object): string {
  return Named.parse(object).metadata.name
}

function allPods({ kubernetes }: ReconcileWorld): readonly Pod[] {
  return kubernetes.all(pods).map((pod) => pods.schema.parse(structuredClone(pod)))
}

function allNodes({ kubernetes }: ReconcileWorld): readonly Node[] {
  return kubernetes.all(nodes).map((node) => nodes.schema.parse(structuredClone(node)))
}

/** Everything that kubelets and the scheduler would do now. */
function runCluster(world: ClusterWorld, hostNames: readonly string[]): void {
  for (const name of hostNames) runKubelet(world, world.machine(name))
  for (const pod of allPods(world).filter(({ spec }) => spec.nodeName === undefined)) schedule(world, pod)
}

const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' } as const

/** An agent that runs has its Node, whoever deletes it; one that does not leaves a Node that is not Ready. */
function runKubelet(world: ClusterWorld, { name: address, executed, agent }: FakeHost): void {
  const { kubernetes } = world
  const environment = executed.findLast(({ phase }) => phase === 'join')?.environment
  if (environment === undefined) return
  const isRunning = agent === 'active'
  const present = kubernetes.raw(nodes, environment['KPSSH_NODE_NAME'] ?? '')
  if (!isRunning && present === undefined) return
  const node = present ?? registeredNode(environment)
  const spec = z.looseObject({ taints: z.array(z.looseObject({ key: z.string() })) }).parse(node.spec)
  const kept = spec.taints.filter(({ key }) => key !== unreachable.key)
  kubernetes.put(nodes, {
    ...node,
    spec: { ...spec, taints: isRunning ? kept : [...kept, unreachable] },
    status: {
      allocatable: { cpu: '3920m', memory: '7892Mi', pods: '110' },
      addresses: [{ type: 'InternalIP', address }],
      conditions: [{ type: 'Ready', status: isRunning ? 'True' : 'Unknown' }],
    },
  })
}

function registeredNode(environment: Readonly<Record<string, string>>) {
  const { KPSSH_NODE_NAME: name, KPSSH_NODE_LABELS: labels = '', KPSSH_PROVIDER_ID: providerID } = environment
  const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }]
  return { metadata: { name, labels: labelsOf(labels) }, spec: { providerID, taints } }
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair !== '')
  return Object.fromEntries(pairs.map((pair) => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']))
}

/** First fit by CPU onto Nodes without a taint. */
function schedule(world: ClusterWorld, pod: Pod): void {
  const node = allNodes(world).find(({ metadata, spec, status }) => {
    if ((spec?.taints ?? []).length > 0 || metadata.deletionTimestamp !== undefined) return false
    const bound = allPods(world).filter((each) => each.spec.nodeName === metadata.name)
    const used = [...bound, pod].reduce((sum, each) => sum + cpuOf(each), 0n)
    return used <= milliUnits(status?.allocatable?.['cpu'] ?? '0')
  })
  if (node !== undefined) bindPod(world, pod.metadata.name, node.metadata.name)
}

function cpuOf({ spec }: Pod): bigint {
  return spec.containers.reduce(
    (sum, { resources }) => sum + milliUnits(resources?.requests?.['cpu'] ?? '0'),
    0n,
  )
}
