import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseKnownHost } from './known-host.ts'

const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const fingerprint = 'SHA256:kmYcvdi2GkPeWxB6XLjrZB8JHsy2Hm8luHMFp9GMvqk'
const pin = { type: 'ssh-ed25519', fingerprint }

describe('parseKnownHost', () => {
  const forms = [
    ['a public key line', `ssh-ed25519 ${blob} somebody@somewhere`],
    ['a public key line without a comment', `ssh-ed25519 ${blob}`],
    ['a known_hosts line with two hosts', `h1.example,10.0.0.1 ssh-ed25519 ${blob}`],
    ['a known_hosts line with a port', `[h1.example]:2222 ssh-ed25519 ${blob} comment`],
    [
      'a hashed known_hosts line',
      `|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-ed25519 ${blob}`,
    ],
    ['a line with spaces, tabs, CRLF and a byte order mark', `\uFEFF  h1 \t ssh-ed25519   ${blob}  \r\n`],
    ['a line after comments and blanks', `# scanned\n\nh1 ssh-ed25519 ${blob}\n`],
  ] as const
  for (const [what, text] of forms) {
    it(`ref 22: reads ${what}`, () => assert.deepEqual(parseKnownHost(text), [pin]))
  }

  it('ref 22, 24: passes a fingerprint on, whose type is not known', () => {
    assert.deepEqual(parseKnownHost(fingerprint), [{ fingerprint }])
    assert.deepEqual(parseKnownHost(`${fingerprint} root@h1 (ED25519)`), [{ fingerprint }])
  })

  it('reads several lines, each key once', () => {
    const other = `SHA256:${'A'.repeat(43)}`
    assert.deepEqual(parseKnownHost(`${other}\nh1 ssh-ed25519 ${blob}\nh2 ssh-ed25519 ${blob}`), [
      { fingerprint: other },
      pin,
    ])
  })

  const refusals = [
    ['ref 23', '', /holds no key/],
    ['ref 23', ' \n# only a comment\n', /holds no key/],
    ['ref 23', 'not a key', /no usable key/],
    ['a malformed fingerprint', 'SHA256:', /fingerprint is malformed/],
    ['a fingerprint of another kind', 'MD5:aa:bb', /no usable key/],
    ['a cut key', `ssh-ed25519 ${blob.slice(0, 12)}`, /malformed/],
    ['a key of another type than it says', `ssh-rsa ${blob}`, /malformed/],
    ['a revoked key', `@revoked h1 ssh-ed25519 ${blob}`, /@revoked/],
    [
      'a certificate authority',
      `@cert-authority *.example ssh-ed25519 ${blob}`,
      /certificates are not supported/,
    ],
    ['an unknown marker', `@trusted h1 ssh-ed25519 ${blob}`, /unknown marker/],
    ['a DSA key', `h1 ssh-dss ${blob}`, /no usable key/],
    ['one bad line among good ones', `h1 ssh-ed25519 ${blob}\nh2`, /no usable key/],
  ] as const
  for (const [what, text, message] of refusals) {
    it(`${what}: is refused: ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.throws(() => parseKnownHost(text), { reason: 'KnownHostInvalid', message })
    })
  }

  it('ref 25: any text gives pins with sound fingerprints or an error', () => {
    const pieces = fc.constantFrom(
      'SHA256:',
      'ssh-ed25519',
      blob,
      ' ',
      '\n',
      '@revoked',
      '|1|',
      'x',
      '=',
      fingerprint,
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((parts) => parts.join('')),
        ),
        (text) => {
          let pins
          try {
            pins = parseKnownHost(text)
          } catch (error) {
            assert.equal((error as { reason?: string }).reason, 'KnownHostInvalid')
            return
          }
          assert.ok(pins.length > 0)
          for (const found of pins) assert.match(found.fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/)
        },
      ),
    )
  })
})
