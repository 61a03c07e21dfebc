import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodes, sshJoinProfiles } from '../kubernetes/resources.ts'
import { aClaim, aHost, aHostKey } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import {
  aMember,
  aWarmHost,
  makePhaseWorld,
  scripts,
  type PhaseWorld,
  type WorldOptions,
} from '../../test/support/worlds/phase-world.ts'

const leave = aRunPhase({ phase: 'leave', reason: 'Release' })
const unclaimedLeave = aRunPhase({ phase: 'leave', nodeClaim: undefined, reason: 'Zombie' })

/** A host whose agent runs, and its Node. */
function memberWorld(options: WorldOptions = { hosts: [aMember()] }): PhaseWorld {
  const world = makePhaseWorld(options)
  world.machine().agent = 'active'
  world.machine().isAgentEnabled = true
  world.putNode({ finalizers: ['karpenter.sh/termination'] })
  return world
}
function phases(world: PhaseWorld): readonly string[] {
  return world.machine().executed.map(({ phase }) => phase)
}
function nodeNames(world: PhaseWorld): readonly unknown[] {
  return world.kubernetes.all(nodes).map(({ metadata }) => (metadata as { name: string }).name)
}

describe('a release', () => {
  it('ref 76, ref 79, ref 147: leaves, deletes Node and token, frees the host and keeps it warm', async () => {
    const world = memberWorld({ hosts: [aMember({ tokenIDs: ['abcdef'] })] })
    await world.deliver(leave)
    const record = world.record()
    assert.deepEqual(phases(world), ['leave'])
    assert.equal(record.state, 'Available')
    assert.equal(record.claim, undefined)
    assert.equal(record.providerID, undefined)
    assert.equal(record.leavePending, false)
    assert.equal(record.installed, 'demo@1')
    assert.deepEqual(record.tokenIDs, [])
    assert.deepEqual(nodeNames(world), [])
  })

  it('ref 76: a second request changes nothing', async () => {
    const world = memberWorld()
    await world.deliver(leave)
    assert.deepEqual(await world.deliver(leave), { kind: 'dropped', reason: 'ClaimChanged', facts: {} })
    assert.deepEqual(phases(world), ['leave'])
  })

  it('tells leave the two addresses and nothing else', async () => {
    const world = memberWorld({ hosts: [aMember({ nodeAddress: '10.1.1.1' })] })
    await world.deliver(leave)
    const environment = world.machine().executed[0]?.environment ?? {}
    const told = Object.entries(environment).filter(([, value]) => value !== '')
    assert.deepEqual(told, [
      ['KPSSH_HOST_ADDRESS', '192.0.2.1'],
      ['KPSSH_NODE_ADDRESS', '10.1.1.1'],
    ])
    assert.ok(!('KPSSH_VAR_k8sMinor' in environment))
  })

  it('EKS-12: the Node is deleted only after the agent stopped', async () => {
    const world = memberWorld()
    let agentAtDelete = ''
    world.kubernetes.before = (verb, plural) => {
      if (verb === 'delete' && plural === 'nodes') agentAtDelete = world.machine().agent
    }
    await world.deliver(leave)
    assert.equal(agentAtDelete, 'inactive')
  })

  it('deletes a Node that never registered, and none of another host', async () => {
    const world = memberWorld()
    world.putNode({ name: 'workers-abcde', providerID: '' })
    world.putNode({ name: 'neighbor', providerID: 'kpssh://kpssh-system/h2' })
    await world.deliver(leave)
    assert.deepEqual(nodeNames(world), ['neighbor'])
  })

  it('frees at once a host on which nothing was joined, without any script', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(leave)
    assert.deepEqual(phases(world), [])
    assert.equal(world.record().state, 'Available')
  })

  it('ref 78, POOL-11: a late leave of an earlier claim runs nothing', async () => {
    const world = memberWorld({ hosts: [aMember({ claim: aClaim({ uid: 'uid-2', joinedAtMs: 1 }) })] })
    await world.deliver(leave)
    assert.deepEqual(phases(world), [])
    assert.equal(world.record().claim?.uid, 'uid-2')
    assert.equal(world.record().state, 'InUse')
  })

  it('POOL-07: ten hosts that leave in one go all leave, and all their Nodes go', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `h${index + 1}`)
    const hosts = names.map((name, index) =>
      aMember({
        key: aHostKey(name),
        address: `192.0.2.${index + 1}`,
        claim: aClaim({ nodeClaim: `node-${name}`, uid: `uid-${name}`, joinedAtMs: 1 }),
        providerID: `kpssh://kpssh-system/${name}`,
        nodeName: `node-${name}`,
      }),
    )
    const world = makePhaseWorld({ hosts })
    for (const name of names) {
      world.machine(name).agent = 'active'
      world.putNode({ name: `node-${name}`, providerID: `kpssh://kpssh-system/${name}` })
    }
    const requests = names.map((name) =>
      aRunPhase({
        phase: 'leave',
        host: aHostKey(name),
        nodeClaim: { name: `node-${name}`, uid: `uid-${name}` },
      }),
    )
    await Promise.all(requests.map((request) => world.deliver(request)))
    assert.deepEqual(nodeNames(world), [])
    for (const name of names) {
      assert.equal(world.record(name).state, 'Available')
      assert.equal(world.machine(name).executed.length, 1)
    }
  })
})

describe('the leave script', () => {
  it('POOL-01: is the one of the join, whatever became of the profile since', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(aRunPhase({ phase: 'join' }))
    world.putProfile({ version: '2', leave: 'exit 1' })
    await world.deliver(leave)
    assert.equal(world.machine().executed[1]?.script, scripts.leave)
    assert.equal(world.record().state, 'Available')
  })

  it('ref flaw 8: a deleted profile does not strand the host', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(aRunPhase({ phase: 'join' }))
    world.kubernetes.vanish(sshJoinProfiles, 'demo')
    await world.deliver(leave)
    assert.equal(world.machine().agent, 'inactive')
    assert.equal(world.record().leavePending, false)
  })
})

describe('a leave that fails', () => {
  it('ref 77, POOL-09: is tried three times; then the Node goes and the host stays out of the pool', async () => {
    const world = memberWorld()
    world.putProfile({ leave: 'echo "umount: busy" >&2\nexit 32' })
    await world.deliver(leave)
    await world.drain()
    const record = world.record()
    assert.deepEqual(phases(world), ['leave', 'leave', 'leave'])
    assert.deepEqual(nodeNames(world), [])
    assert.equal(record.claim, undefined)
    assert.equal(record.state, 'Unhealthy')
    assert.equal(record.reason, 'LeaveFailed')
    assert.match(record.message ?? '', /code 32 .*umount: busy/)
    assert.equal(record.leavePending, true)
  })

  it('a dead host: the Node goes, the claim ends, and the leave stays owed', async () => {
    const world = memberWorld({ hosts: [aMember({ address: 'refuses-connect.example' })] })
    const beganAtMs = world.clock.nowMs()
    await world.deliver(leave)
    await world.drain()
    assert.deepEqual(nodeNames(world), [])
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().leavePending, true)
    assert.equal(world.record().claim, undefined)
    assert.ok(world.clock.nowMs() - beganAtMs < 5 * 60_000)
  })

  it('SSH-34: a leave that exits 0 with the agent running has failed', async () => {
    const world = memberWorld()
    world.putProfile({ leave: 'exit 0' })
    await world.deliver(leave)
    assert.equal(world.record().failures?.lastReason, 'AgentStillActive')
    assert.equal(world.record().leavePending, true)
    assert.equal(world.record().claim?.leftAtMs, undefined)
    assert.deepEqual(nodeNames(world), ['workers-abcde'])
  })

  it('SSH-15: a leave that cut its own connection counts as left if the agent is inactive', async () => {
    const world = memberWorld()
    world.putProfile({ leave: 'systemctl disable --now kubelet\nreboot\nsleep 60' })
    await world.deliver(leave)
    await world.drain()
    assert.deepEqual(phases(world), ['leave'])
    assert.equal(world.record().state, 'Available')
    assert.deepEqual(nodeNames(world), [])
  })

  it('SSH-30: a leave cut off by a reboot before it disabled the agent is run again', async () => {
    const world = memberWorld()
    world.putProfile({ leave: 'sleep 5\nsystemctl disable --now kubelet' })
    world.machine().faults.push('drops-mid-stream')
    await world.deliver(leave)
    world.fleet.reboot(world.machine())
    await world.drain()
    assert.deepEqual(phases(world), ['leave', 'leave'])
    assert.equal(world.record().state, 'Available')
    assert.equal(world.machine().agent, 'inactive')
  })

  it('POOL-04: what comes after leave is repeated without repeating leave', async () => {
    const world = memberWorld()
    world.kubernetes.before = (verb, plural) => {
      if (verb === 'list' && plural === 'nodes') throw new Error('the API server is away')
    }
    await assert.rejects(world.deliver(leave), /away/)
    assert.notEqual(world.record().claim?.leftAtMs, undefined)
    world.kubernetes.before = undefined
    await world.deliver(leave)
    assert.deepEqual(phases(world), ['leave'])
    assert.equal(world.record().state, 'Available')
    assert.deepEqual(nodeNames(world), [])
  })
})

describe('a zombie', () => {
  it('leaves without a claim: its Node goes, and a probe decides when it is offered', async () => {
    const world = memberWorld({
      hosts: [aHost({ state: 'Leaving', leavePending: true, installed: 'demo@1' })],
    })
    await world.deliver(unclaimedLeave)
    assert.deepEqual(phases(world), ['leave'])
    assert.deepEqual(nodeNames(world), [])
    assert.equal(world.record().state, 'Pending')
    assert.equal(world.record().leavePending, false)
  })

  it('is left even if the Node went before', async () => {
    const world = memberWorld({
      hosts: [aHost({ state: 'Leaving', leavePending: true, installed: 'demo@1' })],
    })
    world.kubernetes.vanish(nodes, 'workers-abcde')
    await world.deliver(unclaimedLeave)
    assert.equal(world.machine().agent, 'inactive')
  })

  it('whose leave fails stays owed and is not tried again by itself: the guard comes back', async () => {
    const world = memberWorld({
      hosts: [aHost({ state: 'Leaving', leavePending: true, installed: 'demo@1' })],
    })
    world.putProfile({ leave: 'exit 1' })
    await world.deliver(unclaimedLeave)
    assert.deepEqual(await world.drain(), [])
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().leavePending, true)
    assert.deepEqual(nodeNames(world), ['workers-abcde'])
  })
})
