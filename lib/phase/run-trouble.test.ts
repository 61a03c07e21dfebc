// What the table, the cluster or somebody's objects do to a phase.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TransientError } from '../errors/transient-error.ts'
import { nodes, secrets, sshHosts, sshJoinProfiles } from '../kubernetes/resources.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import { fakeLog } from '../../test/support/fakes/log.ts'
import { aMember, aWarmHost, makePhaseWorld } from '../../test/support/worlds/phase-world.ts'
import { outcomeFacts } from './phase-outcome.ts'
import { makeRunPhase } from './run-phase.ts'

const join = aRunPhase({ phase: 'join' })
const leave = aRunPhase({ phase: 'leave' })

describe('a cluster that does not answer', () => {
  it('leaves a started run to the next delivery, which need not wait for a lease', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.kubernetes.before = (verb, plural) => {
      if (`${verb} ${plural}` !== 'create secrets') return
      world.kubernetes.before = undefined
      throw new TransientError('the API server is away')
    }
    await assert.rejects(world.deliver(join), TransientError)
    const { run } = world.record()
    assert.equal(world.machine().contacts, 0)
    await world.deliver(join)
    assert.equal(world.machine().executed[0]?.runId, run?.id)
    assert.equal(world.record().state, 'InUse')
    assert.equal(world.tokens().length, 1)
  })

  it('mints another token where the drawn one exists', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.kubernetes.put(secrets, {
      metadata: { name: 'bootstrap-token-7j3vb2', namespace: 'kube-system' },
      stringData: { 'token-secret': 'somebody else' },
    })
    await assert.rejects(world.deliver(join), TransientError)
    assert.equal(world.machine().contacts, 0)
    await world.deliver(join)
    assert.equal(world.record().state, 'InUse')
  })

  it('looks again when a Node changes while its finalizer is taken', async () => {
    const world = makePhaseWorld({ hosts: [aMember()] })
    world.putNode({ finalizers: ['karpenter.sh/termination', 'example.com/keep'] })
    world.kubernetes.before = (verb, plural) => {
      if (`${verb} ${plural}` !== 'patch nodes') return
      world.kubernetes.before = undefined
      world.putNode({ finalizers: ['karpenter.sh/termination', 'example.com/keep', 'example.com/new'] })
    }
    await assert.rejects(world.deliver(leave), TransientError)
    await world.deliver(leave)
    const node = await world.kubernetes.get(nodes, 'workers-abcde')
    assert.deepEqual(node?.metadata.finalizers, ['example.com/keep', 'example.com/new'])
    assert.notEqual(node.metadata.deletionTimestamp, undefined)
    assert.equal(world.record().state, 'Available')
    assert.equal(world.machine().executed.length, 1)
  })
})

describe('a table that is fought over', () => {
  it('is asked again later', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    const changeHost = () => {
      const record = world.record()
      return Promise.resolve({ kind: 'refused', reason: 'contended', record } as const)
    }
    const runPhase = makeRunPhase({ ...world.deps, changeHost })
    const scope = { clock: world.clock, log: fakeLog(), deadlineAtMs: world.clock.nowMs() + 60_000 }
    await assert.rejects(runPhase(join, scope), { name: 'TransientError', reason: 'Contended' })
    assert.equal(world.machine().contacts, 0)
  })

  it('is not held up by a ledger that cannot be written', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    const log = fakeLog()
    const history = { append: () => Promise.reject(new Error('throttled')) }
    const runPhase = makeRunPhase({ ...world.deps, history })
    await runPhase(join, { clock: world.clock, log, deadlineAtMs: world.clock.nowMs() + 60_000 })
    assert.equal(world.record().state, 'InUse')
    assert.equal(log.lines[0]?.event, 'history.failed')
  })
})

describe('objects that are wrong', () => {
  it('joins by no profile that became invalid since its class was Ready', async () => {
    const cases = [
      { leave: '{{ if false }}{{ .Vars.x }}{{ end }}true' },
      { leave: 'é'.repeat(200_000) },
      { join: '{{ .NodeName' },
    ]
    for (const scripts of cases) {
      const world = makePhaseWorld({ hosts: [aWarmHost()] })
      world.putProfile(scripts)
      await world.deliver(join)
      assert.equal(world.record().failures?.lastReason, 'ProfileInvalid')
      assert.equal(world.record().state, 'Available')
      assert.equal(world.machine().contacts, 0)
    }
  })

  it('joins no host whose SSHHost is gone', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.kubernetes.vanish(sshHosts, 'h1', 'kpssh-system')
    await world.deliver(join)
    assert.equal(world.record().failures?.lastReason, 'HostNotFound')
    assert.equal(world.record().state, 'Available')
  })

  it('POOL-04: a leave that lacks its key or its script gives up after three, and stays owed', async () => {
    const breakages: readonly [string, (world: ReturnType<typeof makePhaseWorld>) => void][] = [
      ['SSHKeyNotFound', (world) => world.kubernetes.vanish(secrets, 'ssh-key', 'kpssh-system')],
      ['LeaveScriptNotFound', (world) => world.kubernetes.vanish(sshJoinProfiles, 'demo')],
    ]
    for (const [reason, breakIt] of breakages) {
      const world = makePhaseWorld({ hosts: [aMember()] })
      breakIt(world)
      await world.deliver(leave)
      await world.drain()
      assert.equal(world.record().reason, reason)
      assert.equal(world.record().state, 'Unhealthy')
      assert.equal(world.record().leavePending, true)
      assert.equal(world.record().claim, undefined)
      assert.equal(world.machine().contacts, 0)
    }
  })

  it('SSH-01: a host whose key changed while it was a member is released without being touched', async () => {
    const pinned = { type: 'ssh-ed25519', fingerprint: `SHA256:${'c'.repeat(43)}` }
    const world = makePhaseWorld({ hosts: [aMember({ hostKeys: [pinned] })] })
    world.putNode()
    await world.deliver(leave)
    assert.deepEqual(await world.drain(), [])
    assert.deepEqual(world.machine().executed, [])
    assert.equal(world.record().claim, undefined)
    assert.equal(world.record().quarantine?.reason, 'HostKeyChanged')
    assert.equal(world.record().leavePending, true)
    assert.deepEqual(world.kubernetes.all(nodes), [])
  })
})

describe('outcomeFacts', () => {
  it('is one flat line', () => {
    const facts = outcomeFacts({ kind: 'retry-later', reason: 'ConnectRefused', facts: { attempt: 2 } })
    assert.deepEqual(facts, { outcome: 'retry-later', reason: 'ConnectRefused', attempt: 2 })
  })
})
