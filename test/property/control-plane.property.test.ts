import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { SSHHost } from '../../lib/api/ssh-host.ts'
import { nodeClaims, nodes, secrets, sshHosts } from '../../lib/kubernetes/resources.ts'
import { aClusterWorld, nameOf, type ClusterWorld } from '../support/worlds/cluster-world.ts'
import { happen, mishap, maintenance } from '../support/worlds/mishaps.ts'
import { anInventoryHost } from '../support/worlds/reconcile-world.ts'

const hostNames = ['h1', 'h2', 'h3'] as const

describe('the control plane', () => {
  it('serves every pod and brings every host home, whatever happened to it before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mishap(hostNames), { maxLength: 30 }), async (mishaps) => {
        const world = aClusterWorld(hostNames)
        for (const each of mishaps) {
          await happen(world, each)
          assertNobodySharesAHost(world)
        }
        await calmDown(world)
        await until(world, 'every pod is bound', () => world.unboundPods().length === 0)
        for (const pod of world.podNames()) world.removePod(pod)
        await until(world, 'every host is home', () => whatIsLeft(world) === '')
        // A status names one token; what a lost record knew of others expires with them.
        if (!mishaps.some(({ kind }) => kind === 'record is lost')) assert.deepEqual(tokensOf(world), [])
      }),
      { numRuns: 60 },
    )
  })
})

function assertNobodySharesAHost(world: ClusterWorld): void {
  const uids = world.hosts.records.flatMap(({ claim }) => claim?.uid ?? [])
  assert.equal(new Set(uids).size, uids.length, `claims ${uids.join()}`)
}

/** The machines and the inventory are well again, also where an SSHHost was deleted. */
async function calmDown(world: ClusterWorld): Promise<void> {
  for (const name of hostNames) {
    world.machine(name).faults.splice(0)
    maintenance(world, name, false)
  }
  const isGoing = ({ metadata }: SSHHost) => metadata.deletionTimestamp !== undefined
  const areGone = async () => !(await world.kubernetes.list(sshHosts)).some(isGoing)
  await until(world, 'deleted SSHHosts are gone', areGone)
  for (const name of hostNames)
    if (world.kubernetes.raw(sshHosts, name, 'kpssh-system') === undefined)
      world.kubernetes.put(sshHosts, anInventoryHost(name))
}

/** In half minutes: longer than the longest back-off and the registration timeout together. */
const patience = 240

async function until(
  world: ClusterWorld,
  what: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let round = 0; round < patience && !(await isSo()); round += 1) await world.live()
  if (await isSo()) return
  const hosts = world.hosts.records.map((record) => JSON.stringify(record)).join('\n')
  assert.fail(`Not in time: ${what}: ${whatIsLeft(world)} ${world.unboundPods().join()}\n${hosts}`)
}

function tokensOf({ kubernetes }: ClusterWorld): readonly string[] {
  return kubernetes
    .all(secrets)
    .map(nameOf)
    .filter((name) => name.startsWith('bootstrap-token-'))
}

/** Empty when nothing is: no NodeClaim, Node or finalizer, and every host free and quiet. */
function whatIsLeft(world: ClusterWorld): string {
  const { kubernetes, hosts } = world
  const objects = [...kubernetes.all(nodeClaims), ...kubernetes.all(nodes)].map(nameOf)
  const held = kubernetes
    .all(sshHosts)
    .map((sshHost) => sshHosts.schema.parse(structuredClone(sshHost)))
    .filter(({ metadata }) => (metadata.finalizers ?? []).length > 0)
  const restless = hostNames.filter((name) => {
    const record = hosts.records.find(({ key }) => key.name === name)
    return record?.state !== 'Available' || record.leavePending || world.machine(name).agent !== 'inactive'
  })
  return [...objects, ...held.map(({ metadata }) => metadata.name), ...restless].join(' ')
}
