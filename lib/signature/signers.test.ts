import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { everyKeyType, makeSigningKey } from '../../test/support/ssh-signing.ts'
import { matchesPatternList } from './pattern-list.ts'
import { parseSignerTimeMs } from './signer-time.ts'
import type { Signer } from './signer.ts'
import { parseSigners } from './signers.ts'

const key = makeSigningKey('ssh-ed25519')
const other = makeSigningKey('ssh-ed25519')

function signersOf(...entries: readonly string[]): readonly Signer[] {
  const parsed = parseSigners(entries)
  if (parsed.kind === 'refused') assert.fail(parsed.message)
  return parsed.signers
}

function refusal(...entries: readonly string[]): string {
  const parsed = parseSigners(entries)
  return parsed.kind === 'refused' ? `${parsed.reason} ${parsed.message}` : 'accepted'
}

/** What a line says beside its key, without what it does not say. */
function said(line: string): Readonly<Record<string, unknown>> {
  const [signer] = signersOf(line)
  assert.ok(signer?.key.blob.equals(key.blob))
  const facts = Object.entries({ ...signer, key: undefined, line: undefined })
  return Object.fromEntries(facts.filter(([, value]) => value !== undefined && value !== false))
}

describe('parseSigners', () => {
  it('ref 51: passes over empty entries', () => {
    assert.equal(signersOf(key.line, '', '   ').length, 1)
  })
  it('ref 52: refuses an entry that is no key, and says which', () => {
    assert.match(refusal('not a key'), /^SignerInvalid signer 1 cannot be read, it holds no key/)
    assert.match(refusal(key.line, 'not a key'), /^SignerInvalid signer 2 /)
  })
  it('ref 50: refuses a list without a key', () => {
    assert.match(refusal(), /^SignersMissing /)
    assert.match(refusal('', ' ', '# comment'), /^SignersMissing /)
  })
  it('reads keys of every kind, with and without a comment', () => {
    const lines = everyKeyType.map((type) => makeSigningKey(type).line)
    assert.deepEqual(
      signersOf(...lines, ...lines.map((line) => line.replace(/ test$/, ''))).map(
        (signer) => signer.key.type,
      ),
      [...everyKeyType, ...everyKeyType],
    )
  })
  it('reads files: several lines, comments, CRLF', () => {
    const file = `# signers\r\n\r\n${key.line}\r\n  ${other.line}  \r\n`
    assert.deepEqual(
      signersOf(file).map(({ line }) => line),
      [3, 4],
    )
  })

  const rows: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['', {}],
    ['cert-authority ', { isAuthority: true }],
    ['CERT-AUTHORITY,principals="kpssh,ci" ', { isAuthority: true, certificatePrincipals: ['kpssh', 'ci'] }],
    ['namespaces="kpssh-manifest" ', { namespaces: 'kpssh-manifest' }],
    ['namespaces="a,b",cert-authority ', { namespaces: 'a,b', isAuthority: true }],
    [
      'valid-after="20260101",valid-before="202602010000Z" ',
      { validAfterMs: 1_767_225_600_000, validBeforeMs: 1_769_904_000_000 },
    ],
    ['expiry-time="20260101" ', { validBeforeMs: 1_767_225_600_000 }],
    ['expiry-time="20260101",valid-before="20250101Z" ', { validBeforeMs: 1_735_689_600_000 }],
    ['no-touch-required,verify-required ', { needsNoTouch: true, needsVerification: true }],
    ['restrict,command="echo \\"a b\\"",from="10.0.0.0/8",no-pty ', {}],
    ['kpssh ', { principals: 'kpssh' }],
    ['"kpssh,*@example.com" ', { principals: 'kpssh,*@example.com' }],
    ['kpssh namespaces="kpssh" ', { principals: 'kpssh', namespaces: 'kpssh' }],
    ['kpssh  \t cert-authority \t', { principals: 'kpssh', isAuthority: true }],
  ]
  for (const [before, expected] of rows) {
    it(`reads ${before === '' ? 'a key alone' : `${before.trim()} before a key`}`, () => {
      assert.deepEqual(said(before + key.line), expected)
    })
  }

  const encoded = key.line.split(' ')[1] ?? ''
  const refused: readonly (readonly [string, RegExp])[] = [
    ['ssh-ed25519', /key is not base64|goes beyond the end/],
    ['ssh-ed25519 AAAA', /goes beyond the end/],
    [`ssh-ed25519 ${encoded.slice(0, -4)}`, /goes beyond the end/],
    [`ssh-ed25519 ${encoded}=`, /is not base64/],
    [`ssh-rsa ${encoded}`, /it says ssh-rsa, but its key is ssh-ed25519/],
    [`ssh-ed25519-cert-v01@openssh.com ${encoded}`, /it is a certificate, give the key of its authority/],
    [`ssh-dss ${encoded}`, /it says ssh-dss/],
    [
      `kpssh unknown-option ${key.line}`,
      /its option "unknown-option" is unknown, use cert-authority, namespaces/,
    ],
    [`kpssh no-touch-required ${key.line}`, /its option "no-touch-required" is unknown/],
    [`a b c ${key.line}`, /it holds no key/],
    [`namespaces ${key.line}`, /its option "namespaces" needs a value/],
    [`namespaces="" ${key.line}`, /its option "namespaces" needs a value/],
    [`cert-authority="yes" ${key.line}`, /its option "cert-authority" takes no value/],
    [`namespaces="a",namespaces="b" ${key.line}`, /one of its options is there twice/],
    [`valid-after="soon" ${key.line}`, /its "valid-after" is no time, write YYYYMMDD/],
    [`valid-after="20270101",valid-before="20260101" ${key.line}`, /ends to be valid before it begins/],
    [`"" ${key.line}`, /its principals are malformed/],
    ['x'.repeat(16_385), /longer than 16384 characters/],
  ]
  for (const [line, why] of refused) {
    it(`refuses ${line.replace(encoded, 'KEY').slice(0, 60)}`, () => {
      const text = refusal(other.line, line)
      assert.match(text, /^SignerInvalid signer 2 cannot be read, /)
      assert.match(text, why)
    })
  }
  it('refuses more lines than anybody keeps', () => {
    assert.match(refusal('\n'.repeat(1_001)), /^SignerInvalid there are more than 1000 lines/)
    assert.match(
      refusal(...Array<string>(1_001).fill(key.line)),
      /^SignerInvalid there are more than 1000 lines/,
    )
  })
  it('never throws', () => {
    const part = fc.constantFrom(
      'kpssh',
      ' ',
      '"',
      ',',
      '=',
      'namespaces="a"',
      'cert-authority',
      '\\"',
      '#',
      '\n',
      'ssh-rsa',
      encoded,
      key.line,
    )
    const line = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 3 }), (entries) => void parseSigners(entries)),
      { numRuns: 2_000 },
    )
  })
})

describe('parseSignerTimeMs', () => {
  it('reads the three forms of ssh-keygen, as UTC', () => {
    assert.equal(parseSignerTimeMs('20260615'), Date.parse('2026-06-15T00:00:00Z'))
    assert.equal(parseSignerTimeMs('20260615Z'), Date.parse('2026-06-15T00:00:00Z'))
    assert.equal(parseSignerTimeMs('202606151230'), Date.parse('2026-06-15T12:30:00Z'))
    assert.equal(parseSignerTimeMs('20260615123059Z'), Date.parse('2026-06-15T12:30:59Z'))
  })
  it('refuses what is no day or no time', () => {
    for (const text of [
      '',
      '2026',
      '20260230',
      '20261301',
      '20260615 ',
      '2026061524',
      '202606152400',
      '20260615z',
      '-20260615',
      '19691231',
    ]) {
      assert.equal(parseSignerTimeMs(text), undefined, text)
    }
  })
})

describe('matchesPatternList', () => {
  it('knows stars, question marks, lists and exceptions', () => {
    const rows: readonly (readonly [string, string, boolean])[] = [
      ['kpssh', 'kpssh', true],
      ['kpssh', 'Kpssh', false],
      ['kpssh', '*', true],
      ['kpssh', 'k*h', true],
      ['kpssh', 'k*s', false],
      ['kpssh', 'kps?h', true],
      ['kpssh', 'kpssh?', false],
      ['kpssh', 'a,kpssh', true],
      ['kpssh', '*,!kpssh', false],
      ['kpssh', '!kpssh', false],
      ['kpssh', '!a', false],
      ['kpssh', '', false],
      ['kpssh', 'k**h*', true],
      ['', '*', true],
    ]
    for (const [text, list, expected] of rows)
      assert.equal(matchesPatternList(text, list), expected, `${text} ${list}`)
  })
  it('is quick, however many stars there are', () => {
    const startedMs = performance.now()
    assert.equal(matchesPatternList('a'.repeat(200), '*a'.repeat(2_000) + 'b'), false)
    assert.ok(performance.now() - startedMs < 1_000)
  })
})
