import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseManifest, writeManifest, type Manifest } from './manifest.ts'

const digest = 'a'.repeat(64)
const text = `kpssh-manifest: 1
profile: tls-bootstrap
version: 3
phase: join
script-sha256: ${digest}
serial: 7
not-before: 2026-11-30T00:00:00Z
not-after: 2026-12-30T00:00:00Z
param: KPSSH_NODE_NAME [a-z0-9.-]{1,253}
param: KPSSH_NODE_NAME_2 [ -~]*
param: KPSSH_VAR_k8sMinor 1\\.[0-9]+
`
const manifest: Manifest = {
  profile: 'tls-bootstrap',
  version: '3',
  phase: 'join',
  scriptSha256: digest,
  serial: 7,
  notBeforeMs: Date.parse('2026-11-30T00:00:00Z'),
  notAfterMs: Date.parse('2026-12-30T00:00:00Z'),
  params: [
    { name: 'KPSSH_NODE_NAME', pattern: '[a-z0-9.-]{1,253}' },
    { name: 'KPSSH_NODE_NAME_2', pattern: '[ -~]*' },
    { name: 'KPSSH_VAR_k8sMinor', pattern: '1\\.[0-9]+' },
  ],
}

/** The message for what is malformed, or nothing. */
function fault(changed: string): string {
  const parsed = parseManifest(changed)
  return parsed.kind === 'malformed' ? parsed.message : ''
}

describe('a manifest', () => {
  it('is read as it is written', () => {
    assert.deepEqual(parseManifest(text), { kind: 'manifest', manifest })
    assert.equal(writeManifest({ ...manifest, params: manifest.params.toReversed() }), text)
  })
  it('may list no param, and the highest serial', () => {
    const least = { ...manifest, params: [], serial: Number.MAX_SAFE_INTEGER }
    assert.deepEqual(parseManifest(writeManifest(least)), { kind: 'manifest', manifest: least })
  })

  const line = (name: string, value: string) =>
    text.replace(new RegExp(`^${name}: .*$`, 'm'), () => `${name}: ${value}`)
  const malformed: readonly (readonly [string, string, RegExp])[] = [
    ['that is empty', '', /last line has no end/],
    ['without its last line end', text.slice(0, -1), /last line has no end/],
    ['with CRLF', text.replaceAll('\n', '\r\n'), /not printable ASCII/],
    ['with a byte order mark', `\ufeff${text}`, /not printable ASCII/],
    ['with a tab', text.replace('profile: ', 'profile:\t'), /not printable ASCII/],
    [
      'of another version',
      text.replace('manifest: 1', 'manifest: 2'),
      /first line must be "kpssh-manifest: 1"/,
    ],
    ['with an empty line at its end', `${text}\n`, /line 12 must be "param: /],
    [
      'with an unknown line',
      text.replace('serial: 7\n', 'serial: 7\nextra: 1\n'),
      /line 7 must be "not-before: …"/,
    ],
    ['with an unknown line behind', `${text}extra: 1\n`, /line 12 must be "param: /],
    [
      'with a line twice',
      text.replace('serial: 7\n', 'serial: 7\nserial: 7\n'),
      /line 7 must be "not-before: …"/,
    ],
    ['without a line', text.replace('serial: 7\n', ''), /line 6 must be "serial: …"/],
    [
      'in another order',
      text.replace('version: 3\nphase: join\n', 'phase: join\nversion: 3\n'),
      /line 3 must be "version: …"/,
    ],
    ['with two spaces', line('serial', ' 7'), /serial must match/],
    ['with a profile that is none', line('profile', 'Profile'), /profile must match/],
    ['with a version that is none', line('version', '-1'), /version must match/],
    [
      'with a phase that is none',
      line('phase', 'reboot'),
      /phase must be one of install, join, leave, uninstall/,
    ],
    ['with a digest in capitals', line('script-sha256', 'A'.repeat(64)), /script-sha256 must match/],
    ['with serial 0', line('serial', '0'), /serial must match/],
    ['with a leading zero', line('serial', '07'), /serial must match/],
    [
      'with a serial that numbers do not hold',
      line('serial', '9007199254740992'),
      /serial must be at most 9007199254740991/,
    ],
    ['with a day that is none', line('not-after', '2026-02-30T00:00:00Z'), /not-after is no day and time/],
    ['with a leap second', line('not-after', '2026-12-31T23:59:60Z'), /not-after is no day and time/],
    ['with a zone', line('not-after', '2026-12-30T00:00:00+01:00'), /not-after must match/],
    [
      'that ends as it begins',
      line('not-after', '2026-11-30T00:00:00Z'),
      /not-after must be later than not-before/,
    ],
    [
      'with a param that is not ours',
      `${text}param: PATH .*\n`,
      /line 12 must be "param: KPSSH_NAME PATTERN"/,
    ],
    ['with a param of no name', `${text}param: KPSSH_ .*\n`, /line 12 must be "param: /],
    ['with a param without pattern', `${text}param: KPSSH_Z\n`, /line 12 must be "param: /],
    ['with an empty pattern', `${text}param: KPSSH_Z \n`, /line 12 must be "param: /],
    ['with a param twice', `${text}param: KPSSH_VAR_k8sMinor .\n`, /sorts after "KPSSH_VAR_k8sMinor"/],
    ['with params out of order', `${text}param: KPSSH_A .\n`, /sorts after "KPSSH_VAR_k8sMinor"/],
    [
      'with a pattern that is not portable',
      `${text}param: KPSSH_Z \\d\n`,
      /pattern of KPSSH_Z cannot be used/,
    ],
    ['that is too long', `${text}${'param: KPSSH_Z .\n'.repeat(5_000)}`, /longer than 65536 bytes/],
  ]
  for (const [what, changed, why] of malformed) {
    it(`${what} is malformed`, () => assert.match(fault(changed), why))
  }
  it('cannot be written with what cannot be read', () => {
    for (const change of [{ version: '_1' }, { serial: 1.5 }, { profile: 'A\nphase: leave' }]) {
      assert.throws(() => writeManifest({ ...manifest, ...change }), { reason: 'ManifestInvalid' })
    }
  })
  it('has one text: what is read is written the same', () => {
    const edits = fc.array(fc.tuple(fc.nat(text.length), fc.nat(3), fc.string({ maxLength: 3 })), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(edits, (changes) => {
        const changed = changes.reduce(
          (all, [at, gone, put]) => all.slice(0, at) + put + all.slice(at + gone),
          text,
        )
        const parsed = parseManifest(changed)
        if (parsed.kind === 'manifest') assert.equal(writeManifest(parsed.manifest), changed)
      }),
      { numRuns: 3_000 },
    )
  })
})
