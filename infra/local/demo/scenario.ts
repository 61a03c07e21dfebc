// The demo: pods pull hosts in, an idle node goes back, the second time is warm, a zombie is removed, a failed join costs no
// pod. Each step says what it does, waits for what must come of it, and fails loudly otherwise.
import type { Kubernetes } from '../../../lib/kubernetes/ports.ts'
import { nodes, pods } from '../../../lib/kubernetes/resources.ts'
import type { DemoHosts } from '../demo-hosts/start-demo-hosts.ts'
import type { Look } from './look.ts'
import { podManifest } from './manifests.ts'
import type { Spectator } from './spectator.ts'
import type { Timeline } from './timeline.ts'

export interface Stage {
  readonly kubernetes: Kubernetes
  readonly hosts: DemoHosts
  readonly timeline: Timeline
  readonly spectator: Spectator
  /** How often a host was installed, by the ledger. */
  readonly installsOf: (name: string) => Promise<number>
}

/** Throws an Error that says what did not come out as it must. */
export async function playScenario(stage: Stage): Promise<void> {
  const { spectator, timeline } = stage
  timeline.cause('three hosts are in the inventory: rack-a and rack-b (small), rack-c (large)')
  await spectator.until('all hosts are Available', (look) => hostsIn(look, 'Available').length === 3, 30)
  await scaleUp(stage)
  await scaleDown(stage, ['web-1', 'batch-1'])
  await scaleUpWarm(stage)
  await scaleDown(stage, ['web-2'])
  await raiseZombie(stage)
  await failOneJoin(stage)
  timeline.cause('everything came out as it must')
}

async function scaleUp(stage: Stage): Promise<void> {
  stage.timeline.cause('two pods appear: web-1 wants 1 CPU, batch-1 wants 7.5')
  await addPod(stage, 'web-1', '1')
  await addPod(stage, 'batch-1', '7500m')
  await stage.spectator.until('both pods run', (look) => runs(look, 'web-1') && runs(look, 'batch-1'), 40)
  const { seen } = stage.spectator
  await stage.spectator.until('two hosts are InUse', (look) => hostsIn(look, 'InUse').length === 2, 10)
  requireThat(seen().pods.get('web-1') !== seen().pods.get('batch-1'), 'the pods run on two nodes')
  requireThat(seen().hosts.get('rack-c')?.state === 'InUse', 'the large pod got the large host')
}

async function scaleDown(stage: Stage, names: readonly string[]): Promise<void> {
  stage.timeline.cause(`${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} deleted`)
  for (const name of names) await stage.kubernetes.delete(pods, name, { namespace: 'default' })
  await stage.spectator.until(
    'no node is left, every host is Available and still installed',
    (look) => look.nodes.size === 0 && look.nodeClaims.size === 0 && hostsIn(look, 'Available').length === 3,
    40,
  )
}

async function scaleUpWarm(stage: Stage): Promise<void> {
  const { spectator, timeline, installsOf } = stage
  const before = await installsOf('rack-a')
  timeline.cause('a small pod appears again: web-2 wants 1 CPU')
  await addPod(stage, 'web-2', '1')
  await spectator.until('web-2 runs', (look) => runs(look, 'web-2'), 30)
  await spectator.until('rack-a is InUse', (look) => look.hosts.get('rack-a')?.state === 'InUse', 10)
  requireThat(
    before === 1 && (await installsOf('rack-a')) === 1,
    'rack-a was installed once, for the first pod',
  )
  timeline.line('host rack-a joined warm: no install this time')
}

async function raiseZombie(stage: Stage): Promise<void> {
  const { hosts, spectator, timeline, kubernetes } = stage
  timeline.cause('somebody enables the kubelet on rack-a, which nobody claims, and the host reboots')
  await hosts.run('rack-a', 'systemctl enable kubelet')
  await hosts.reboot('rack-a')
  await spectator.until('the kubelet of rack-a makes a Node', (look) => look.nodes.size === 1, 20)
  await spectator.until(
    'the guard removes the zombie',
    (look) => look.nodes.size === 0 && look.hosts.get('rack-a')?.state === 'Available',
    40,
  )
  const unit = await hosts.run('rack-a', 'systemctl is-enabled kubelet; systemctl is-active kubelet; true')
  timeline.line(`the kubelet of rack-a is ${unit.stdout.trim().split('\n').join(' and ')}`)
  requireThat(unit.stdout.trim() === 'disabled\ninactive', 'the kubelet of rack-a is disabled and inactive')
  requireThat((await kubernetes.list(nodes)).length === 0, 'no Node is left')
}

async function failOneJoin(stage: Stage): Promise<void> {
  const { hosts, spectator, timeline } = stage
  timeline.cause('web-3 appears, and the next join of rack-a will fail')
  await hosts.failNextJoin('rack-a')
  await addPod(stage, 'web-3', '1')
  await spectator.until(
    'rack-a is Unhealthy after its failed join',
    (look) => isUnhealthy(look, 'rack-a'),
    40,
  )
  await spectator.until('web-3 runs on another host', (look) => runs(look, 'web-3'), 40)
  const isServing = (look: Look) => look.hosts.get('rack-b')?.state === 'InUse'
  await spectator.until('rack-b serves the pod', isServing, 10)
}

function addPod(stage: Stage, name: string, cpu: string): Promise<unknown> {
  return stage.kubernetes.create(pods, podManifest(name, cpu), 'default')
}

function hostsIn(look: Look, state: string): readonly string[] {
  return [...look.hosts].filter(([, host]) => host.state === state).map(([name]) => name)
}

function runs(look: Look, pod: string): boolean {
  return (look.pods.get(pod) ?? '') !== ''
}

function isUnhealthy(look: Look, name: string): boolean {
  return look.hosts.get(name)?.state === 'Unhealthy'
}

function requireThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Expected, and did not hold: ${what}`)
}
