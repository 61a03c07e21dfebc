import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makeSigningKey, signSshsig } from '../../../test/support/ssh-signing.ts'
import { scriptDigest } from './check-manifest.ts'
import { checkSigned, type CheckedSigned, type SignedToRun } from './check-signed.ts'
import { writeManifest, type Manifest } from './manifest.ts'

const key = makeSigningKey('ssh-ed25519')
const stranger = makeSigningKey('ssh-ed25519')
const script = '#!/usr/bin/env bash\nset -euo pipefail\necho "$KPSSH_NODE_NAME"\n'
const nowMs = Date.parse('2026-12-10T00:00:00Z')
const manifest: Manifest = {
  profile: 'test',
  version: '3',
  phase: 'join',
  scriptSha256: scriptDigest(script),
  serial: 7,
  notBeforeMs: Date.parse('2026-11-30T00:00:00Z'),
  notAfterMs: Date.parse('2026-12-30T00:00:00Z'),
  params: [
    { name: 'KPSSH_NODE_NAME', pattern: '[a-z0-9.-]{1,253}' },
    { name: 'KPSSH_SECRET_TOKEN', pattern: '[ -~]*' },
  ],
}

function signed(change: Partial<Manifest> = {}, by = key) {
  const text = writeManifest({ ...manifest, ...change })
  return { manifest: text, signature: signSshsig({ key: by, message: text, namespace: 'kpssh-manifest' }) }
}

function signedScript(of = script, namespace = 'kpssh'): string {
  return signSshsig({ key, message: of, namespace })
}

function check(change: Partial<SignedToRun> = {}): CheckedSigned {
  return checkSigned({
    profile: 'test',
    version: '3',
    phase: 'join',
    script,
    manifest: signed(),
    trustedSigners: [key.line],
    environment: { KPSSH_NODE_NAME: 'node-1' },
    nowMs,
    ...change,
  })
}

function refusal(change: Partial<SignedToRun>): string {
  const checked = check(change)
  return checked.kind === 'ok' ? 'ok' : `${checked.reason} ${checked.message}`
}

const fingerprint = (text: string) => /SHA256:[A-Za-z0-9+/]{43}/.test(text)

describe('checkSigned', () => {
  it('passes what is signed, with what to hand to the host', () => {
    const own = signed()
    const checked = check({ manifest: own })
    assert.ok(checked.kind === 'ok')
    assert.deepEqual(checked.signed, { manifest: own })
    assert.deepEqual(checked.manifest, manifest)
    assert.match(checked.signer, /^ssh-ed25519 SHA256:/)
  })
  it('tells before anything is known of a join whether a profile can be run at all', () => {
    assert.equal(check({ environment: undefined }).kind, 'ok')
  })
  it('hands over the signature of the script too, if it is right', () => {
    const signature = signedScript()
    const both = check({ signature })
    assert.deepEqual(both.kind === 'ok' && both.signed.signature, signature)
    const stale = check({ signature: signedScript('other') })
    assert.deepEqual(stale.kind === 'ok' && Object.keys(stale.signed), ['manifest'])
    const onlyManifests = check({ signature, trustedSigners: [`namespaces="kpssh-manifest" ${key.line}`] })
    assert.deepEqual(onlyManifests.kind === 'ok' && Object.keys(onlyManifests.signed), ['manifest'])
  })

  const rows: readonly (readonly [string, Partial<SignedToRun>, RegExp])[] = [
    ['a script that is empty', { script: '' }, /^ScriptMissing .*scripts\.join is empty/],
    ['ref 67: a template', { script: 'echo {{.Vars.x}}' }, /^ScriptHasTemplate .*template-free/],
    [
      'SSH-23: line ends of Windows',
      { script: 'set -e\ntrue\r\n' },
      /^ScriptHasCR .*scripts\.join: line 2 has a carriage return, .* and sign it again$/,
    ],
    ['SSH-23: a byte order mark', { script: '\ufefftrue\n' }, /^ScriptHasBOM .*line 1 has a byte order mark/],
    ['braces in a literal', { script: "echo '{{'" }, /^ScriptHasTemplate /],
    [
      'ref 68: nothing signed',
      { manifest: undefined },
      /^NotSigned .*no signature of scripts\.join and no manifest/,
    ],
    ['an empty signature', { manifest: undefined, signature: '' }, /^NotSigned /],
    ['ref 50: nobody trusted', { trustedSigners: [] }, /^SignersMissing /],
    [
      'ref 52: a signer that is no key',
      { trustedSigners: ['not a key'] },
      /^SignerInvalid .*trustedSigners of the host: signer 1 /,
    ],
    [
      'ref 69: a signature by somebody else',
      { manifest: signed({}, stranger) },
      /^SignerNotTrusted .*manifests\.join: .*not in the trusted set/,
    ],
    [
      'SSH-38: a manifest that was changed',
      { manifest: { ...signed(), manifest: writeManifest({ ...manifest, serial: 8 }) } },
      /^SignatureWrong /,
    ],
    [
      'a script signature in place of that of the manifest',
      {
        manifest: {
          ...signed(),
          signature: signSshsig({ key, message: signed().manifest, namespace: 'kpssh' }),
        },
      },
      /^SignatureOtherNamespace /,
    ],
    [
      'a signer whose time is over',
      { trustedSigners: [`valid-before="20261201Z" ${key.line}`] },
      /^SignerExpired .*was trusted until 2026-12-01T00:00:00Z/,
    ],
    ['another profile', { profile: 'other' }, /^ManifestProfileMismatch .*of profile "test"/],
    [
      'another version',
      { version: '4' },
      /^ManifestVersionMismatch .*version "3", the profile has version "4"/,
    ],
    ['another phase', { phase: 'install' }, /^ManifestPhaseMismatch .*of phase join/],
    [
      'SSH-37: a script that was changed by one byte',
      { script: `${script} ` },
      /^ManifestDigestMismatch .*scripts\.join was changed/,
    ],
    [
      'a manifest that is yet to begin',
      { manifest: signed({ notBeforeMs: nowMs + 1_000 }) },
      /^ManifestNotYetValid .*from 2026-12-10T00:00:01Z on/,
    ],
    [
      'a manifest that is over',
      { manifest: signed({ notAfterMs: nowMs - 1_000 }) },
      /^ManifestExpired .*until 2026-12-09T23:59:59Z/,
    ],
    [
      'a parameter that is not listed',
      { environment: { KPSSH_VAR_x: '1' } },
      /^ParameterNotListed .*does not list KPSSH_VAR_x/,
    ],
    ['a parameter of no kind that is ours', { environment: { BASH_ENV: '1' } }, /^ParameterNotListed /],
    [
      'a value that does not match',
      { environment: { KPSSH_NODE_NAME: 'Node' } },
      /^ParameterRefused .*KPSSH_NODE_NAME does not match \[a-z0-9\.-\]\{1,253\}/,
    ],
    [
      'a value of two lines',
      { environment: { KPSSH_NODE_NAME: 'a\nb' } },
      /^ParameterRefused .*holds a line end/,
    ],
    [
      'a signed manifest that is none',
      {
        manifest: {
          manifest: 'x\n',
          signature: signSshsig({ key, message: 'x\n', namespace: 'kpssh-manifest' }),
        },
      },
      /^ManifestMalformed .*first line must be/,
    ],
  ]
  for (const [what, change, why] of rows) {
    it(`refuses ${what}`, () => {
      const text = refusal(change)
      assert.match(text, why)
      assert.match(text, /Cannot run (join|install) of profile "(test|other)" in mode Verified: /)
    })
  }
  it('names the signer where the manifest is the problem', () => {
    assert.ok(fingerprint(refusal({ version: '4' })))
  })
  it('does not show values, which may be secret', () => {
    const text = refusal({ environment: { KPSSH_SECRET_TOKEN: 's3cr3t-\u00e9' } })
    assert.match(text, /^ParameterRefused /)
    assert.doesNotMatch(text, /s3cr3t/)
  })
  it('lets a leave go with a manifest that is over, and with nothing else that is wrong', () => {
    const over = signed({ phase: 'leave', notAfterMs: nowMs - 1_000 })
    assert.equal(refusal({ phase: 'leave', manifest: over }), 'ok')
    assert.match(
      refusal({ phase: 'leave', manifest: over, script: `${script} ` }),
      /^ManifestDigestMismatch /,
    )
    assert.match(
      refusal({ phase: 'leave', manifest: over, environment: { KPSSH_X: '' } }),
      /^ParameterNotListed /,
    )
  })
  it('counts a profile without version as version 1', () => {
    assert.equal(refusal({ version: '', manifest: signed({ version: '1' }) }), 'ok')
  })
  it('says of two things that are wrong the one that comes first', () => {
    const all = {
      script: '{{',
      manifest: signed({ notAfterMs: nowMs - 1_000 }, stranger),
      trustedSigners: ['?'],
    }
    assert.match(refusal(all), /^ScriptHasTemplate /)
    assert.match(refusal({ ...all, script: 'x' }), /^SignerInvalid /)
    assert.match(refusal({ ...all, script: 'x', trustedSigners: [key.line] }), /^SignerNotTrusted /)
    assert.match(refusal({ script: 'x', profile: 'other' }), /^ManifestProfileMismatch /)
    assert.match(
      refusal({ script: 'x', manifest: signed({ notAfterMs: nowMs - 1 }) }),
      /^ManifestDigestMismatch /,
    )
    const expired = { manifest: signed({ notAfterMs: nowMs - 1_000 }), environment: { KPSSH_X: '' } }
    assert.match(refusal(expired), /^ManifestExpired /)
  })

  describe('with a signature of the script alone', () => {
    const alone = (change: Partial<SignedToRun>) =>
      refusal({ manifest: undefined, signature: signedScript(), ...change })
    it('ref 66: passes, and hands it over', () => {
      const signature = signedScript()
      const checked = check({ manifest: undefined, signature })
      assert.deepEqual(checked.kind === 'ok' && checked.signed, { signature })
    })
    it('refuses what is not of exactly these bytes, or for something else', () => {
      assert.match(alone({ script: `${script}\n` }), /^SignatureWrong .*signatures\.join: /)
      assert.match(alone({ signature: signedScript(script, 'file') }), /^SignatureOtherNamespace /)
      assert.match(
        alone({ trustedSigners: [`namespaces="kpssh-manifest" ${key.line}`] }),
        /^SignerNotForNamespace /,
      )
    })
    it('SSH-39: refuses a value with a line end before anything is sent', () => {
      assert.match(
        alone({ environment: { KPSSH_VAR_x: 'a\n' } }),
        /^ParameterRefused .*KPSSH_VAR_x holds a line end/,
      )
    })
  })
  it('never throws, whatever a profile and a host hold', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(script, signed().manifest, signed().signature, key.line),
    )
    const run = fc.record({
      script: text,
      profile: text,
      version: text,
      manifest: fc.option(fc.record({ manifest: text, signature: text }), { nil: undefined }),
      signature: fc.option(text, { nil: undefined }),
      trustedSigners: fc.array(text, { maxLength: 3 }),
      environment: fc.dictionary(text, text, { maxKeys: 3 }),
    })
    fc.assert(
      fc.property(run, (change) => {
        const checked = check(change)
        if (checked.kind === 'refused') assert.match(checked.reason, /^[A-Z][A-Za-z]+$/)
      }),
      { numRuns: 1_000 },
    )
  })
})
