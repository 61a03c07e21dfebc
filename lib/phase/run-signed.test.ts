// Hosts in mode Verified: what they are sent, and what is found out before they are.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HostRuns } from '../execution/ports.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { secrets, sshHosts } from '../kubernetes/resources.ts'
import type { Profile } from '../profile/profile.ts'
import { aClaim, t0 } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import {
  activationCode,
  aColdHost,
  aMember,
  aWarmHost,
  makePhaseWorld,
  scripts,
  type PhaseWorld,
  type ProfileOverrides,
} from '../../test/support/worlds/phase-world.ts'
import { signManifests, signScripts } from '../../test/support/signing/sign-profile.ts'
import { aSigner } from '../../test/support/signing/test-signer.ts'

const signer = aSigner()
const trustedSigners = [signer.publicLine]
const shimCommand = '/opt/kpssh/kpssh-shim'
const verified = { trustedSigners, shimCommand }
const parameters = [{ name: 'k8sMinor', type: 'String', pattern: '1\\.[0-9]{1,3}' }] as const
const profile: Profile = { metadata: { name: 'demo' }, spec: { version: '1', scripts, parameters } }
const manifests = signManifests(profile, signer, { nowMs: t0 })
const signatures = signScripts(profile, signer)
const install = aRunPhase({ phase: 'install' })
const join = aRunPhase({ phase: 'join' })
const leave = aRunPhase({ phase: 'leave' })
/** As long as a function may last. */
const long = { deadlineAtMs: t0 + 900_000 }

function aVerifiedWorld(
  host: HostRecord,
  signed: ProfileOverrides,
  { signers = trustedSigners, runs }: { signers?: readonly string[]; runs?: HostRuns } = {},
): PhaseWorld {
  const world = makePhaseWorld({ hosts: [host], ...(runs && { runs }) })
  world.putProfile({ parameters, ...signed })
  world.kubernetes.put(sshHosts, {
    metadata: { name: 'h1', namespace: 'kpssh-system' },
    spec: {
      address: '192.0.2.1',
      sshKeySecretRef: { name: 'ssh-key' },
      capacity: { cpu: '4', memory: '8Gi' },
      execMode: 'Verified',
      trustedSigners: signers,
    },
  })
  return world
}

describe('a host in mode Verified', () => {
  it('ref 66: is sent the script verbatim, what was signed, and its parameters', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified }), { signatures })
    await world.deliver(join, long)
    const [executed] = world.machine().executed
    assert.equal(executed?.script, scripts.join)
    assert.deepEqual(executed.signed, { signature: signatures['join'] })
    assert.equal(executed.environment['KPSSH_NODE_NAME'], 'workers-abcde')
    assert.equal(world.record().state, 'InUse')
  })

  it('gets the manifest where there is one', async () => {
    const world = aVerifiedWorld(aColdHost({ verified }), { manifests, signatures })
    await world.deliver(install)
    await world.drain()
    assert.deepEqual(
      world.machine().executed.map(({ phase, signed }) => [phase, signed]),
      [
        ['install', { manifest: manifests.install }],
        ['join', { manifest: manifests.join }],
      ],
    )
  })

  it('gets the signature alone where its shim reads nothing else', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified, envelope: 1 }), { manifests, signatures })
    await world.deliver(join, long)
    assert.deepEqual(world.machine().executed[0]?.signed, { signature: signatures['join'] })
  })

  it('keeps with its leave recipe what was signed', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified }), { manifests, signatures })
    await world.deliver(join)
    const recipe = await world.deps.recipes.get(world.record().leaveRecipe ?? '')
    assert.deepEqual([recipe?.signature, recipe?.manifest], [signatures['leave'], manifests.leave])
  })

  it('is watched by nobody else while a run lasts that ends with its connection', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified }), { signatures })
    let leaseUntilMs = 0
    world.kubernetes.before = (verb, plural) => {
      if (`${verb} ${plural}` === 'create secrets') leaseUntilMs = world.record().run?.leaseUntilMs ?? 0
    }
    await world.deliver(join, long)
    assert.equal(leaseUntilMs, t0 + 300_000 + 120_000)
  })
})

describe('a script that ends with its connection', () => {
  const lost = { kind: 'lost', stdoutTail: '', stderrTail: '', durationMs: 0 } as const

  function aCutOffWorld(): { readonly world: PhaseWorld; readonly starts: string[] } {
    const starts: string[] = []
    const runs: HostRuns = {
      start(_target, { runId }) {
        starts.push(runId)
        return Promise.resolve({ report: { kind: 'indeterminate', message: 'cut off' }, hostKeys: [] })
      },
      attach: () =>
        Promise.resolve({ report: { kind: 'finished', outcome: lost, bootID: 'unknown' }, hostKeys: [] }),
      probe: () => Promise.reject(new Error('nobody asks')),
    }
    const world = aVerifiedWorld(aColdHost({ verified, envelope: 1 }), { signatures }, { runs })
    return { world, starts }
  }

  it('is not begun again before its first run must be over', async () => {
    const { world, starts } = aCutOffWorld()
    await world.deliver(install, long)
    for (const seconds of [60, 300, 599]) {
      world.clock.advance(t0 + seconds * 1000 - world.clock.nowMs())
      const outcome = await world.deliver(install, { deadlineAtMs: world.clock.nowMs() + 900_000 })
      assert.deepEqual([outcome.kind, starts.length], ['retry-later', 1])
    }
    assert.equal(world.record().run?.endsWithContact, true)
    world.clock.advance(1000)
    await world.deliver(install, { deadlineAtMs: t0 + 1_500_000 })
    assert.deepEqual([world.record().run, world.record().lastRun?.reason], [undefined, 'ContactLost'])
    await world.deliver(install, { deadlineAtMs: t0 + 1_500_000 })
    assert.equal(starts.length, 2)
  })

  it('waits for an invocation that lasts as long as it may', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified }), { signatures })
    const outcome = await world.deliver(join, { deadlineAtMs: t0 + 382_000 })
    assert.deepEqual(
      [outcome.kind, world.machine().contacts, world.record().claim?.failure],
      ['retry-later', 0, undefined],
    )
    await world.deliver(join, { deadlineAtMs: t0 + 383_000 })
    assert.equal(world.record().state, 'InUse')
  })

  it('as a leave is tried however long it may take', async () => {
    const world = aVerifiedWorld(aMember({ verified }), { signatures, timeouts: { leave: '1h' } })
    await world.deliver(leave, long)
    assert.equal(world.record().leavePending, false)
  })
})

describe('what a script of a host in mode Verified is told', () => {
  it('is of a join Secret what the scripts read, whatever else the Secret holds', async () => {
    const reading = {
      ...scripts,
      join: `${scripts.join}\necho "$KPSSH_SECRET_ACTIVATION_CODE$KPSSH_SECRET_NOT_THERE"`,
    }
    const own = { ...profile, spec: { ...profile.spec, scripts: reading } }
    const signed = { ...reading, manifests: signManifests(own, signer, { nowMs: t0 }) }
    const world = aVerifiedWorld(aWarmHost({ verified }), signed)
    world.putNodeClass({ joinSecretRef: { name: 'activation' } })
    world.kubernetes.put(secrets, {
      metadata: { name: 'activation', namespace: 'kpssh-system' },
      stringData: { 'activation-code': activationCode, 'for-somebody-else': 'other' },
    })
    await world.deliver(join)
    const told = Object.keys(world.machine().executed[0]?.environment ?? {})
    assert.deepEqual(
      told.filter((name) => name.startsWith('KPSSH_SECRET_')),
      ['KPSSH_SECRET_ACTIVATION_CODE'],
    )
  })
})

describe('an SSHHost that was made anew for another machine', () => {
  it('says nothing of how the old one is spoken to', async () => {
    const world = aVerifiedWorld(aWarmHost({ address: '192.0.2.77' }), {})
    await world.deliver(join)
    assert.equal(world.machine().executed[0]?.signed, undefined)
    assert.equal(world.record().state, 'InUse')
  })
})

describe('before a host in mode Verified is connected to', () => {
  const stranger = aSigner()
  const late = signManifests(profile, signer, { nowMs: t0 - 400 * 86_400_000 })
  const refusals: readonly [string, ProfileOverrides, string, RegExp][] = [
    [
      'ref 67: a template is refused',
      { join: 'echo {{ .NodeName }}', signatures },
      'ScriptHasTemplate',
      /template-free/,
    ],
    ['ref 68: a script without signature is refused', {}, 'NotSigned', /no signature/],
    [
      'ref 69: a signature of somebody else is refused',
      { signatures: signScripts(profile, stranger) },
      'SignerNotTrusted',
      /not in the trusted set/,
    ],
    [
      'a manifest by somebody else is refused, whatever the script is signed with',
      { manifests: signManifests(profile, stranger, { nowMs: t0 }), signatures },
      'SignerNotTrusted',
      /not in the trusted set/,
    ],
    [
      'a script that was changed is refused',
      { manifests, join: 'echo changed' },
      'ManifestDigestMismatch',
      /sign it again/,
    ],
    ['an expired manifest is refused', { manifests: late }, 'ManifestExpired', /valid until/],
    [
      'a manifest of another phase is refused',
      { manifests: { ...manifests, join: manifests.leave } },
      'ManifestPhaseMismatch',
      /phase leave/,
    ],
    [
      'a manifest of another version is refused',
      {
        manifests: signManifests({ ...profile, spec: { ...profile.spec, version: '2' } }, signer, {
          nowMs: t0,
        }),
      },
      'ManifestVersionMismatch',
      /version "2"/,
    ],
    [
      'a var that nobody signed is refused',
      { manifests: signManifests(profile, signer, { nowMs: t0, params: [] }) },
      'ParameterNotListed',
      /KPSSH_/,
    ],
  ]
  for (const [title, signed, reason, message] of refusals) {
    it(`${title}, and the host is free again, untouched and not to blame`, async () => {
      const world = aVerifiedWorld(aWarmHost({ verified }), signed)
      await world.deliver(join)
      const { state, claim, failures } = world.record()
      assert.equal(world.machine().contacts, 0)
      assert.deepEqual([state, claim, failures?.lastReason], ['Available', undefined, reason])
      assert.match(failures?.lastMessage ?? '', message)
      assert.equal(failures?.count, 0)
    })
  }

  it('a join is refused whose leave could not be run', async () => {
    const others = { install: manifests.install, join: manifests.join }
    const world = aVerifiedWorld(aWarmHost({ verified }), { manifests: others })
    await world.deliver(join)
    assert.equal(world.machine().contacts, 0)
    assert.equal(world.record().failures?.lastReason, 'NotSigned')
  })

  it('a signer that the SSHHost does not name any more is refused, whatever the table remembers', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified }), { manifests }, { signers: [stranger.publicLine] })
    await world.deliver(join)
    assert.equal(world.machine().contacts, 0)
    assert.equal(world.record().failures?.lastReason, 'SignerNotTrusted')
  })

  it('a phase is refused that may take longer than a connection lasts', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified }), { signatures, timeouts: { join: '20m' } })
    await world.deliver(join, long)
    assert.equal(world.machine().contacts, 0)
    assert.match(world.record().failures?.lastMessage ?? '', /1200 s.*800 s.*timeouts\.join/)
  })

  it('manifests alone are refused for a shim that reads none', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified, envelope: 1 }), { manifests })
    await world.deliver(join)
    assert.equal(world.machine().contacts, 0)
    assert.equal(world.record().failures?.lastReason, 'ShimTooOld')
  })
})

describe('a leave of a host in mode Verified', () => {
  it('runs although its manifest has expired', async () => {
    const late = signManifests(profile, signer, { nowMs: t0 - 400 * 86_400_000 })
    const world = aVerifiedWorld(aMember({ verified }), { manifests: late })
    await world.deliver(leave)
    assert.deepEqual(world.machine().executed[0]?.signed, { manifest: late.leave })
  })

  it('runs as it was signed at the join, where the profile has lost its signature since', async () => {
    const world = aVerifiedWorld(aWarmHost({ verified, claim: aClaim() }), { manifests })
    await world.deliver(join)
    world.putProfile({ parameters })
    await world.deliver(leave)
    assert.deepEqual(world.machine().executed[1]?.signed, { manifest: manifests.leave })
  })
})
