// What users, networks and machines do to a control plane.
import fc from 'fast-check'
import type { Resource } from '../../../lib/kubernetes/ports.ts'
import { nodeClaims, nodes, sshHosts, sshJoinProfiles } from '../../../lib/kubernetes/resources.ts'
import { aProfile } from '../builders/kubernetes.ts'
import { nameOf, type ClusterWorld } from './cluster-world.ts'
import { scripts } from './phase-world.ts'

const kind = <K extends string>(text: K) => fc.constant(text)
const fault = fc.constantFrom(
  'refuses-connect' as const,
  'refuses-auth' as const,
  'drops-before-start' as const,
  'drops-mid-stream' as const,
)

export function mishap(hostNames: readonly string[]) {
  const host = fc.constantFrom(...hostNames)
  const index = fc.nat(2)
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: kind('pod'), cpu: fc.constantFrom('1', '2', '3') }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('no pod'), index }) },
    { weight: 4, arbitrary: fc.record({ kind: kind('time passes') }) },
    fc.record({ kind: kind('messages are lost') }),
    fc.record({ kind: kind('messages come twice') }),
    fc.record({ kind: kind('an old message comes once more') }),
    fc.record({ kind: kind('activation is killed'), after: fc.nat(25) }),
    fc.record({ kind: kind('functions are killed'), after: fc.nat(40) }),
    fc.record({ kind: kind('contact fails'), host, fault }),
    fc.record({ kind: kind('host is dead for long'), host }),
    fc.record({ kind: kind('host reboots'), host }),
    fc.record({ kind: kind('host is in maintenance'), host, isOn: fc.boolean() }),
    fc.record({ kind: kind('SSHHost is deleted'), host }),
    fc.record({ kind: kind('NodeClaim is deleted'), index }),
    fc.record({ kind: kind('NodeClaim is deleted by force'), index }),
    fc.record({ kind: kind('Node is deleted'), index }),
    fc.record({ kind: kind('profile changes'), version: fc.constantFrom('1', '2') }),
    fc.record({ kind: kind('record is lost'), host }),
  )
}

export type Mishap = ReturnType<typeof mishap> extends fc.Arbitrary<infer T> ? T : never
type MishapOf<K extends Mishap['kind']> = Extract<Mishap, { readonly kind: K }>
type Happenings = {
  readonly [K in Mishap['kind']]: (world: ClusterWorld, mishap: MishapOf<K>) => Promise<unknown> | undefined
}

/** As many pods as three hosts carry, whatever they ask for. */
const maxPods = 3

const happenings: Happenings = {
  pod: (world, { cpu }) => {
    const name = `pod-${world.clock.nowMs()}-${world.kubernetes.requests.length}`
    if (world.podNames().length < maxPods) world.addPod(name, cpu)
    return undefined
  },
  'no pod': (world, { index }) => {
    const name = world.podNames()[index]
    if (name !== undefined) world.removePod(name)
    return undefined
  },
  'time passes': (world) => world.live(),
  'messages are lost': async (world) => {
    await world.heartbeat()
    for (const queue of ['install', 'join', 'leave', 'probe', 'events'] as const) world.sender.take(queue)
  },
  'messages come twice': async (world) => {
    await world.heartbeat()
    await world.deliver({ times: 2 })
  },
  'an old message comes once more': (world) => {
    const message = world.observed.at(-2)
    return message && world.reconcile(message)
  },
  'activation is killed': (world, { after }) => killed(world, after, () => world.heartbeat()),
  'functions are killed': (world, { after }) => killed(world, after, () => world.live()),
  'contact fails': (world, { host, fault: planned }) => {
    world.machine(host).faults.push(planned)
    return undefined
  },
  'host is dead for long': (world, { host }) => {
    world.machine(host).faults.push(...Array.from({ length: 12 }, () => 'refuses-connect' as const))
    return undefined
  },
  'host reboots': (world, { host }) => {
    world.fleet.reboot(world.machine(host))
    return undefined
  },
  'host is in maintenance': (world, { host, isOn }) => {
    maintenance(world, host, isOn)
    return undefined
  },
  'SSHHost is deleted': ({ kubernetes }, { host }) =>
    kubernetes.delete(sshHosts, host, { namespace: 'kpssh-system' }),
  'NodeClaim is deleted': (world, { index }) => {
    const name = nth(world, nodeClaims, index)
    return name === undefined ? undefined : world.kubernetes.delete(nodeClaims, name)
  },
  'NodeClaim is deleted by force': (world, { index }) => {
    const name = nth(world, nodeClaims, index)
    if (name !== undefined) world.kubernetes.vanish(nodeClaims, name)
    return undefined
  },
  'Node is deleted': (world, { index }) => {
    const name = nth(world, nodes, index)
    return name === undefined ? undefined : world.kubernetes.delete(nodes, name)
  },
  'profile changes': ({ kubernetes }, { version }) => {
    kubernetes.put(sshJoinProfiles, aProfile({ spec: { version, scripts } }))
    return undefined
  },
  'record is lost': async (world, { host }) => {
    // What no status tells yet, nobody could know after the loss.
    await world.heartbeat()
    const record = world.hosts.records.find(({ key }) => key.name === host)
    if (record !== undefined) await world.hosts.remove(record.key, record.version)
  },
}

export async function happen(world: ClusterWorld, each: Mishap): Promise<void> {
  const happening = happenings[each.kind] as (
    world: ClusterWorld,
    each: Mishap,
  ) => Promise<unknown> | undefined
  await happening(world, each)
}

/** Everything in it that asks the API server for more than `after` things fails, as if its functions had been killed. */
async function killed(world: ClusterWorld, after: number, act: () => Promise<unknown>): Promise<void> {
  let left = after
  world.kubernetes.before = () => {
    left -= 1
    if (left < 0) throw new Error('killed')
  }
  await act().catch(() => undefined)
  world.kubernetes.before = undefined
}

export function maintenance({ kubernetes }: ClusterWorld, name: string, isOn: boolean): void {
  const sshHost = kubernetes.raw(sshHosts, name, 'kpssh-system')
  if (sshHost === undefined) return
  const annotations = isOn ? { 'karpenter.dklesev.github.io/maintenance': '' } : {}
  kubernetes.put(sshHosts, { ...sshHost, metadata: { ...(sshHost['metadata'] as object), annotations } })
}

function nth({ kubernetes }: ClusterWorld, resource: Resource<unknown>, index: number): string | undefined {
  const object = kubernetes.all(resource)[index]
  return object && nameOf(object)
}
