// The phase functions on a real sshd and bash: what they record is what really happened on the host.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { makeRunPhase } from '../../lib/phase/run-phase.ts'
import { aRunPhase } from '../support/builders/messages.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { someRuns } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd, type SshHost } from '../support/sshd/ssh-host.ts'
import { Killed, mortalDeps } from '../support/worlds/mortal-deps.ts'
import { activationCode, aColdHost, makePhaseWorld, type PhaseWorld } from '../support/worlds/phase-world.ts'

const install = aRunPhase({ phase: 'install' })
const join = aRunPhase({ phase: 'join' })
const leave = aRunPhase({ phase: 'leave' })

/** A unit that is what it was last told to be. */
const systemctl = `
state="$KPSSH_ROOT/agent"
case "$1" in
  enable) echo active >"$state" ;;
  disable) echo inactive >"$state" ;;
  *) cat "$state" 2>/dev/null || echo inactive ;;
esac`

interface Scene {
  readonly host: SshHost
  readonly world: PhaseWorld
}

async function aScene(test: TestContext): Promise<Scene> {
  const host = await anSshHost(test)
  host.stub('systemctl', systemctl)
  const { address, port, user, privateKey } = host.target
  const world = makePhaseWorld({
    hosts: [aColdHost({ address, port, user })],
    runs: someRuns(),
    privateKey: privateKey.reveal(),
  })
  const log = (phase: string) => `echo "${phase}" >>"$KPSSH_ROOT/ledger"`
  world.putProfile({
    install: log('install'),
    join: `${log('join $KPSSH_NODE_NAME')}\nsystemctl enable --now kubelet`,
    leave: `${log('leave [$KPSSH_NODE_NAME]')}\nsystemctl disable --now kubelet`,
  })
  return { host, world }
}

describe('phases on a real sshd', { concurrency: 3, ...needsSshd }, () => {
  it('ref 70, ref 76: install, join and leave do what they say, and leave a warm host', async (test) => {
    const { host, world } = await aScene(test)
    await world.deliver(install)
    await world.drain()
    assert.equal(world.record().state, 'InUse')
    assert.match(world.record().hostKeys[0]?.fingerprint ?? '', /^SHA256:/)
    await world.deliver(leave)
    assert.equal(host.read('ledger'), 'install\njoin workers-abcde\nleave []\n')
    assert.equal(host.read('agent'), 'inactive\n')
    assert.equal(world.record().state, 'Available')
    assert.equal(world.record().installed, 'demo@1')
    assert.equal(world.record().leavePending, false)
  })

  it('POOL-02: a function killed right after the host began is followed up, not repeated', async (test) => {
    const { host, world } = await aScene(test)
    await world.deliver(install)
    world.sender.take('join')
    // Effects of a join: recipe, record, token id, token, then the start.
    const { deps } = mortalDeps(world.deps, { kill: { atEffect: 5, when: 'after' } })
    const scope = { clock: world.clock, log: fakeLog(), deadlineAtMs: world.clock.nowMs() + 60_000 }
    await assert.rejects(makeRunPhase(deps)(join, scope), Killed)
    assert.equal(host.read('ledger'), 'install\njoin workers-abcde\n')
    assert.equal(world.record().claim?.joinedAtMs, undefined)
    world.clock.advance(150_000)
    await world.deliver(join)
    assert.equal(host.read('ledger'), 'install\njoin workers-abcde\n')
    assert.equal(world.record().state, 'InUse')
  })

  it('SSH-34, SSH-36: a join that fails is told by line and last words, without its secrets', async (test) => {
    const { host, world } = await aScene(test)
    world.putNodeClass({ joinSecretRef: { name: 'activation' } })
    world.putProfile({
      install: 'true',
      join: 'set -x\n: "$KPSSH_SECRET_ACTIVATION_CODE" "$KPSSH_BOOTSTRAP_TOKEN"\nsystemctl enable --now kubelet\nfalse',
      leave: 'systemctl disable --now kubelet',
    })
    await world.deliver(install)
    await world.drain()
    const failed = world.history.entries.find(({ facts }) => facts.outcome === 'failed')
    const message = String(failed?.facts.message)
    assert.match(message, /^join exited with code 1 at line 4 after \d+ s: /)
    assert.match(message, /\[REDACTED\]/)
    assert.ok(!JSON.stringify([world.hosts.records, world.history.entries]).includes(activationCode))
    assert.equal(host.read('agent'), 'inactive\n')
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().leavePending, false)
  })

  it('SSH-34: a leave that exits 0 and leaves the agent running has failed', async (test) => {
    const { host, world } = await aScene(test)
    await world.deliver(install)
    await world.drain()
    world.putProfile({ leave: 'true' })
    await world.deliver(leave)
    assert.equal(host.read('agent'), 'active\n')
    assert.equal(world.record().failures?.lastReason, 'AgentStillActive')
    assert.equal(world.record().leavePending, true)
  })
})
