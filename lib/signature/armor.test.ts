import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { throwawayFixture as fixture } from '../../test/support/ssh-signing-fixture.ts'
import { parseArmor, writeArmor } from './armor.ts'

describe('armor', () => {
  it('is read as it is written, whatever is in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        const blob = Buffer.from(bytes)
        assert.deepEqual(parseArmor(writeArmor(blob)), { kind: 'blob', blob })
      }),
    )
    assert.equal(
      writeArmor(Buffer.from(fixture.armor.split('\n').slice(1, 5).join(''), 'base64')),
      fixture.armor,
    )
  })

  const armors: readonly (readonly [string, (armor: string) => string, RegExp])[] = [
    ['with CRLF', (armor) => armor.replaceAll('\n', '\r\n'), /CRLF/],
    [
      'of another kind',
      (armor) => armor.replaceAll('SSH SIGNATURE', 'PGP SIGNATURE'),
      /it is a PGP SIGNATURE/,
    ],
    [
      'behind another block',
      (armor) => `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${armor}`,
      /it is a CERTIFICATE/,
    ],
    ['without its end', (armor) => armor.slice(0, -20), /its end is missing/],
    ['with a header', (armor) => armor.replace('-----\n', '-----\nComment: x\n'), /not base64/],
    ['with a character too many', (armor) => armor.replace('U1', 'U1U'), /not base64/],
    ['with base64url', (armor) => armor.replace('U1N', 'U-_'), /not base64/],
    ['without padding', (armor) => armor.replaceAll('=', ''), /not base64/],
    [
      'with bits that say nothing',
      () => '-----BEGIN SSH SIGNATURE-----\nAB==\n-----END SSH SIGNATURE-----\n',
      /not base64/,
    ],
    ['on one line', (armor) => armor.replaceAll('\n', ' '), /no line "-----BEGIN/],
  ]
  for (const [what, change, why] of armors) {
    it(`refuses armor ${what}`, () => {
      const parsed = parseArmor(change(fixture.armor))
      assert.ok(parsed.kind === 'refused' && parsed.reason === 'SignatureMalformed')
      assert.match(parsed.message, why)
    })
  }
})
