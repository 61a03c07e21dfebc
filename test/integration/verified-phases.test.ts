// The phase functions and the probe against a Verified host: a real sshd whose login reaches the shim alone, the shim with its
// own bytes, and manifests signed by the real ssh-keygen.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { HostRecord } from '../../lib/hosts/host-record.ts'
import { sshHosts } from '../../lib/kubernetes/resources.ts'
import { makeProbeHosts } from '../../lib/phase/run-probe.ts'
import type { Profile } from '../../lib/profile/profile.ts'
import { aHost, t0 } from '../support/builders/hosts.ts'
import { aProbeHosts, aRunPhase } from '../support/builders/messages.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { signManifests, signScripts, type Manifests } from '../support/signing/sign-profile.ts'
import type { TestSigner } from '../support/signing/test-signer.ts'
import { aSigner, type Signer } from '../support/sshd/signer.ts'
import { someRuns } from '../support/sshd/runs-on.ts'
import { needsSshd } from '../support/sshd/ssh-host.ts'
import { aVerifiedHost, runs, scriptSigner, type VerifiedHost } from '../support/sshd/verified-host.ts'
import { activationCode, aColdHost, makePhaseWorld } from '../support/worlds/phase-world.ts'
import type { PhaseWorld, ProfileOverrides } from '../support/worlds/phase-world.ts'

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

const log = (phase: string) => `echo "${phase}" >>"$KPSSH_ROOT/ledger"`
const parameters = [{ name: 'k8sMinor', type: 'String', pattern: '1\\.[0-9]{1,3}' }] as const
const scripts = {
  install: `${log('install $KPSSH_VAR_k8sMinor')}\n: "$KPSSH_SECRET_ACTIVATION_CODE"`,
  join: `${log('join $KPSSH_NODE_NAME')}\necho "with $KPSSH_BOOTSTRAP_TOKEN"\nsystemctl enable --now kubelet`,
  leave: `${log('leave [$KPSSH_NODE_NAME]')}\nsystemctl disable --now kubelet`,
}
const profile: Profile = { metadata: { name: 'demo' }, spec: { version: '1', scripts, parameters } }

/** Valid by the clock of the test and by that of the machine, whatever day it is. */
const always = { nowMs: t0, notAfterMs: t0 + 200 * 365 * 86_400_000 }

interface Scene {
  readonly host: VerifiedHost
  readonly world: PhaseWorld
  /** By the host's own signer, unless another one is named. */
  readonly manifests: (signer?: Signer, serial?: number) => Manifests
  readonly probe: () => Promise<HostRecord>
}

async function aScene(
  test: TestContext,
  signed: (scene: Pick<Scene, 'host' | 'manifests'>) => ProfileOverrides,
  record: (place: Partial<HostRecord>) => HostRecord = aColdHost,
): Promise<Scene> {
  const host = await aVerifiedHost(test)
  host.stub('systemctl', systemctl)
  const { address, port, user, privateKey, verified } = host.target
  const trustedSigners = [host.signer.publicKey]
  const shown = { address, port, user, verified: { ...verified, trustedSigners } }
  const world = makePhaseWorld({ hosts: [record(shown)], runs, privateKey: privateKey.reveal() })
  world.kubernetes.put(sshHosts, {
    metadata: { name: 'h1', namespace: 'kpssh-system' },
    spec: {
      address,
      port,
      user,
      sshKeySecretRef: { name: 'ssh-key' },
      capacity: { cpu: '4', memory: '8Gi' },
      execMode: 'Verified',
      shimCommand: verified.shimCommand,
      trustedSigners,
    },
  })
  const manifests = (signer = host.signer, serial = 1) =>
    signManifests(profile, withNamespaceFirst(signer), { ...always, serial })
  world.putProfile({ ...scripts, parameters, ...signed({ host, manifests }) })
  const scope = () => ({ clock: world.clock, log: fakeLog(), deadlineAtMs: world.clock.nowMs() + 60_000 })
  return {
    host,
    world,
    manifests,
    async probe() {
      await makeProbeHosts(world.deps)(aProbeHosts(), scope())
      return world.record()
    },
  }
}

function trusting({ verified }: Partial<HostRecord>, { publicKey }: Signer): HostRecord['verified'] {
  return verified && { ...verified, trustedSigners: [...verified.trustedSigners, publicKey] }
}

function withNamespaceFirst(signer: Signer): TestSigner {
  return { publicLine: signer.publicKey, sign: (namespace, text) => signer.sign(text, namespace) }
}

describe('phases on a Verified host', { concurrency: 3, ...needsSshd }, () => {
  it('a probe says which envelope the shim reads, and the host is offered', async (test) => {
    const { probe } = await aScene(test, () => ({}), aHost)
    const { envelope, state, probeError } = await probe()
    assert.deepEqual([envelope, state, probeError], [2, 'Available', undefined])
  })

  it('install, join and leave run as they were signed, and leave a warm host', async (test) => {
    const { host, world } = await aScene(test, ({ manifests }) => ({ manifests: manifests() }))
    world.putNodeClass({ joinSecretRef: { name: 'activation' } })
    await world.deliver(install)
    await world.drain()
    assert.equal(world.record().state, 'InUse')
    assert.equal(host.read('agent'), 'active\n')
    await world.deliver(leave)
    assert.equal(host.read('ledger'), 'install 1.36\njoin workers-abcde\nleave []\n')
    assert.equal(host.read('agent'), 'inactive\n')
    const { state, installed, leavePending } = world.record()
    assert.deepEqual([state, installed, leavePending], ['Available', 'demo@1', false])
    assert.ok(!JSON.stringify([world.hosts.records, world.history.entries]).includes(activationCode))
  })

  it('a host leaves as it was signed at the join, although the profile is unsigned since', async (test) => {
    const { host, world } = await aScene(test, ({ manifests }) => ({ manifests: manifests() }))
    await world.deliver(install)
    await world.drain()
    world.putProfile({ ...scripts, leave: 'echo "not signed"', version: '2' })
    await world.deliver(leave)
    assert.equal(host.read('ledger'), 'install 1.36\njoin workers-abcde\nleave []\n')
    assert.equal(world.record().state, 'Available')
  })

  it('a leave that the host refuses is followed by the one it was joined with', async (test) => {
    const newer = aSigner(test)
    const { host, world, manifests } = await aScene(
      test,
      (scene) => ({ manifests: scene.manifests() }),
      (place) => aColdHost({ ...place, verified: trusting(place, newer) }),
    )
    await world.deliver(install)
    await world.drain()
    // The host was never told of the signer that everybody else knows.
    world.putProfile({ ...scripts, parameters, manifests: manifests(newer) })
    await world.deliver(leave)
    assert.equal(world.record().failures?.lastReason, 'SignatureRejected')
    assert.equal(world.record().quarantine, undefined)
    await world.drain()
    assert.equal(host.read('ledger'), 'install 1.36\njoin workers-abcde\nleave []\n')
    assert.deepEqual([world.record().leavePending, world.record().claim], [false, undefined])
  })

  it('an unsigned profile never reaches the host, which is free again', async (test) => {
    const { host, world } = await aScene(test, () => ({}))
    await world.deliver(install)
    const { state, claim, failures, hostKeys } = world.record()
    assert.deepEqual([state, claim, failures?.lastReason], ['Available', undefined, 'NotSigned'])
    assert.equal(failures?.count, 0)
    // Whoever connects learns its keys.
    assert.deepEqual(hostKeys, [])
    assert.deepEqual([host.read('ledger'), host.list('var/lib/kpssh')], ['', []])
  })

  it('a signer that is revoked on the host alone is told of by name, and nothing is run', async (test) => {
    const { host, world } = await aScene(test, ({ manifests }) => ({ manifests: manifests() }))
    host.revoke(host.signer.publicKey)
    await world.deliver(install)
    const { state, claim, failures, quarantine } = world.record()
    assert.deepEqual([failures?.lastReason, claim, quarantine], ['SignatureRejected', undefined, undefined])
    assert.equal(state, 'Unhealthy')
    assert.match(failures?.lastMessage ?? '', /its shim rejected the signature \(.+\), sign with a key that/)
    assert.equal(host.read('ledger'), '')
  })

  it('a profile that was taken back is nobody else’s fault: its host stays free', async (test) => {
    const { host, world, manifests } = await aScene(test, (scene) => ({
      manifests: scene.manifests(scene.host.signer, 7),
    }))
    await world.deliver(install)
    world.sender.take('join')
    world.putProfile({ ...scripts, parameters, manifests: manifests(host.signer, 6) })
    await world.deliver(join)
    const { state, claim, failures } = world.record()
    assert.deepEqual([state, claim, failures?.lastReason], ['Available', undefined, 'ManifestSerialTooLow'])
    assert.equal(failures?.count, 0)
    assert.equal(host.read('ledger'), 'install 1.36\n')
  })

  it('a host whose SSHHost says Raw is told of as what it is', async (test) => {
    const host = await aVerifiedHost(test)
    const { address, port, user, privateKey } = host.target
    const world = makePhaseWorld({
      hosts: [aHost({ address, port, user })],
      runs: someRuns(),
      privateKey: privateKey.reveal(),
    })
    const scope = { clock: world.clock, log: fakeLog(), deadlineAtMs: world.clock.nowMs() + 60_000 }
    await makeProbeHosts(world.deps)(aProbeHosts(), scope)
    assert.deepEqual([world.record().state, world.record().reason], ['Unhealthy', 'LoginForced'])
    assert.match(world.record().message ?? '', /set execMode: Verified/)
  })

  it('scripts that are signed one by one run as long as their connection', async (test) => {
    const { host, world } = await aScene(
      test,
      (scene) => ({ signatures: signScripts(profile, withNamespaceFirst(scene.host.signer)) }),
      (place) => aColdHost({ ...place, envelope: 1 }),
    )
    host.trust(scriptSigner(host.signer))
    const long = { deadlineAtMs: world.clock.nowMs() + 900_000 }
    await world.deliver(install, long)
    world.sender.take('join')
    await world.deliver(join, long)
    assert.equal(host.read('ledger'), 'install 1.36\njoin workers-abcde\n')
    assert.equal(world.record().state, 'InUse')
  })
})
