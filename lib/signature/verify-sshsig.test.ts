import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  everyKeyType,
  makeSigningKey,
  mpint,
  signSshsig,
  sshsigBlob,
  type SigningOptions,
} from '../../test/support/ssh-signing.ts'
import { throwawayFixture as fixture } from '../../test/support/ssh-signing-fixture.ts'
import { writeArmor } from './armor.ts'
import { parseSigners } from './signers.ts'
import { verifySshsig, type VerifiedSignature } from './verify-sshsig.ts'
import { wireString } from './wire-reader.ts'
import { writeSshsig } from './sshsig.ts'

const nowMs = Date.parse('2026-06-15T12:00:00Z')
const message = '#!/usr/bin/env bash\necho hello\n'

interface Question {
  readonly armor: string
  readonly signers?: readonly string[]
  readonly message?: string
  readonly namespace?: string
}

function ask({ signers = [ed25519.line], ...question }: Question): VerifiedSignature {
  const parsed = parseSigners(signers)
  if (parsed.kind === 'refused') return parsed
  return verifySshsig({ message, namespace: 'kpssh', nowMs, ...question, signers: parsed.signers })
}

/** `Reason message`, or `verified`. */
function answer(question: Question): string {
  const verified = ask(question)
  return verified.kind === 'verified' ? 'verified' : `${verified.reason} ${verified.message}`
}

const ed25519 = makeSigningKey('ssh-ed25519')
const rsa = makeSigningKey('ssh-rsa')
const own = (options: SigningOptions = {}) =>
  signSshsig({ key: ed25519, message, namespace: 'kpssh' }, options)

describe('verifySshsig', () => {
  it('ref 45: takes a signature by ssh-keygen, in its namespace and in the default one', () => {
    const signers = [fixture.line]
    assert.deepEqual(ask({ armor: fixture.armor, signers }), {
      kind: 'verified',
      fingerprint: 'SHA256:NaFSc8nGwKMnewUUYfVpi7h09DFrWMBEl/UhQv1SAvo',
      signer: 'ssh-ed25519 SHA256:NaFSc8nGwKMnewUUYfVpi7h09DFrWMBEl/UhQv1SAvo',
    })
    assert.equal(answer({ armor: fixture.armor, signers, namespace: '' }), 'verified')
  })
  it('ref 46: refuses SHA-1 in the signature of an RSA key', () => {
    const armor = signSshsig({ key: rsa, message, namespace: 'kpssh' }, { rsaFormat: 'ssh-rsa' })
    assert.match(
      answer({ armor, signers: [rsa.line] }),
      /^SignatureAlgorithmRefused .*"ssh-rsa", which is not permitted/,
    )
  })
  it('ref 47: refuses a message that was changed', () => {
    assert.match(answer({ armor: own(), message: `${message}#` }), /^SignatureWrong .*SHA256:.* were changed/)
  })
  it('ref 48: refuses the signature of another key, and names it and those that are trusted', () => {
    const text = answer({ armor: own(), signers: [rsa.line, fixture.line] })
    assert.match(
      text,
      /^SignerNotTrusted the signer, ssh-ed25519 SHA256:\S{43}, is not in the trusted set \(SHA256:\S{43}, SHA256:NaFS/,
    )
  })
  it('ref 49: refuses another namespace', () => {
    const armor = signSshsig({ key: ed25519, message, namespace: 'file' })
    assert.match(answer({ armor }), /^SignatureOtherNamespace .*"file", it must be for "kpssh"/)
    assert.match(answer({ armor: own(), namespace: 'file' }), /^SignatureOtherNamespace /)
  })
  it('ref 50: refuses everything where nobody is trusted', () => {
    const verified = verifySshsig({ armor: own(), message, namespace: 'kpssh', signers: [], nowMs })
    assert.equal(verified.kind === 'refused' && verified.reason, 'SignersMissing')
  })
  it('ref 53: refuses what is no signature', () => {
    const signature = Buffer.from('x')
    const publicKey = ed25519.blob
    const wrongHash = writeSshsig({ publicKey, namespace: 'kpssh', hash: 'sha1', signature })
    const rows: readonly (readonly [string, RegExp])[] = [
      ['', /^SignatureMalformed .*it is empty/],
      ['AAAA', /^SignatureMalformed .*no line "-----BEGIN/],
      [writeArmor(Buffer.from('AAAA')), /^SignatureMalformed .*no SSH signature/],
      [writeArmor(wrongHash), /^SignatureHashUnknown .*"sha1"/],
      [signSshsig({ key: ed25519, message, namespace: 'git' }), /^SignatureOtherNamespace /],
    ]
    for (const [armor, why] of rows) assert.match(answer({ armor }), why)
  })

  it('says of two things that are wrong the one that comes first', () => {
    const blob = writeSshsig({
      publicKey: Buffer.from('?'),
      namespace: 'file',
      hash: 'md5',
      signature: Buffer.from('?'),
    })
    const fixed = (change: Partial<Parameters<typeof writeSshsig>[0]>) =>
      answer({
        armor: writeArmor(
          writeSshsig({
            publicKey: Buffer.from('?'),
            namespace: 'kpssh',
            hash: 'md5',
            signature: Buffer.from('?'),
            ...change,
          }),
        ),
      })
    assert.match(answer({ armor: writeArmor(blob) }), /^SignatureOtherNamespace /)
    assert.match(fixed({}), /^SignerKeyRefused /)
    assert.match(fixed({ publicKey: rsa.blob }), /^SignerNotTrusted /)
    assert.match(fixed({ publicKey: ed25519.blob }), /^SignatureHashUnknown /)
    assert.match(fixed({ publicKey: ed25519.blob, hash: 'sha512' }), /^SignatureMalformed /)
    const other = Buffer.concat([wireString('ssh-dss'), wireString('x')])
    assert.match(
      fixed({ publicKey: ed25519.blob, hash: 'sha512', signature: other }),
      /^SignatureAlgorithmRefused /,
    )
    const wrong = Buffer.concat([wireString('ssh-ed25519'), wireString(Buffer.alloc(64))])
    assert.match(fixed({ publicKey: ed25519.blob, hash: 'sha512', signature: wrong }), /^SignatureWrong /)
  })

  it('passes over text before and after the armor, and bytes after the last field', () => {
    assert.equal(answer({ armor: `signed by me\n${own()}trailing\n` }), 'verified')
    const longer = Buffer.concat([
      sshsigBlob({ key: ed25519, message, namespace: 'kpssh' }),
      Buffer.from('more'),
    ])
    assert.equal(answer({ armor: writeArmor(longer) }), 'verified')
  })
  it('ignores what is in the reserved field, as an empty one was signed', () => {
    const blob = sshsigBlob({ key: ed25519, message, namespace: 'kpssh' })
    const at = blob.indexOf(wireString('kpssh')) + 9
    const filled = Buffer.concat([blob.subarray(0, at), wireString('reserved'), blob.subarray(at + 4)])
    assert.equal(answer({ armor: writeArmor(filled) }), 'verified')
  })

  it('refuses what is too long before it is looked at', () => {
    assert.match(answer({ armor: own() + ' '.repeat(16_384) }), /^SignatureTooLarge /)
    assert.match(answer({ armor: own(), message: 'x'.repeat(4 * 1024 * 1024 + 1) }), /^SignatureTooLarge /)
  })
  it('refuses other versions', () => {
    const blob = sshsigBlob({ key: ed25519, message, namespace: 'kpssh' })
    for (const version of [0, 2, 0xffffffff]) {
      blob.writeUInt32BE(version, 6)
      assert.match(answer({ armor: writeArmor(blob) }), /^SignatureVersionUnknown /)
    }
  })

  for (const type of everyKeyType) {
    const key = makeSigningKey(type)
    const blob = sshsigBlob({ key, message, namespace: 'kpssh' })
    it(`refuses a ${type} signature that ends anywhere before its end`, () => {
      for (let length = 0; length < blob.length; length += 1) {
        const text = answer({ armor: writeArmor(blob.subarray(0, length)), signers: [key.line] })
        assert.match(
          text,
          /^Signature(Malformed|VersionUnknown|OtherNamespace) |^SignerKeyRefused /,
          String(length),
        )
      }
    })
    it(`refuses a ${type} signature with any byte changed`, () => {
      const reserved = blob.indexOf(wireString('kpssh')) + 9
      for (let at = 0; at < blob.length; at += 1) {
        const changed = Buffer.from(blob)
        changed[at] = (changed[at] ?? 0) ^ 0x41
        const text = answer({ armor: writeArmor(changed), signers: [key.line] })
        assert.notEqual(text, 'verified', `${at} of ${blob.length}, reserved at ${reserved}`)
      }
    })
    it(`refuses bytes behind the ${type} signature itself, which hosts refuse`, () => {
      const publicKey = key.blob
      const start = blob.indexOf(wireString('sha512')) + 10 + 4
      const signature = Buffer.concat([blob.subarray(start), Buffer.from([0])])
      const armor = writeArmor(writeSshsig({ publicKey, namespace: 'kpssh', hash: 'sha512', signature }))
      assert.match(
        answer({ armor, signers: [key.line] }),
        /^SignatureMalformed .*1 bytes follow the signature/,
      )
    })
  }

  describe('of security keys', () => {
    for (const type of ['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'] as const) {
      const key = makeSigningKey(type)
      const made = (flags: number) => signSshsig({ key, message, namespace: 'kpssh' }, { flags })
      const said = (flags: number, line: string) =>
        answer({ armor: made(flags), signers: [line] }).split(' ')[0]
      it(`need a touch for ${type}, unless their line says otherwise`, () => {
        assert.equal(said(1, key.line), 'verified')
        assert.equal(said(5, key.line), 'verified')
        assert.equal(said(0, key.line), 'SignatureWithoutTouch')
        assert.equal(said(4, key.line), 'SignatureWithoutTouch')
        assert.equal(said(0, `no-touch-required ${key.line}`), 'verified')
      })
      it(`need a PIN or a finger for ${type}, where their line says so`, () => {
        assert.equal(said(1, `verify-required ${key.line}`), 'SignatureWithoutTouch')
        assert.equal(said(5, `verify-required ${key.line}`), 'verified')
      })
    }
  })

  describe('of keys that are none', () => {
    const withKey = (...fields: readonly Buffer[]) => {
      const publicKey = Buffer.concat(fields)
      return answer({
        armor: writeArmor(
          writeSshsig({ publicKey, namespace: 'kpssh', hash: 'sha512', signature: Buffer.alloc(0) }),
        ),
      })
    }
    const curve = wireString('nistp256')
    const rows: readonly (readonly [string, readonly Buffer[], RegExp])[] = [
      ['DSA', [wireString('ssh-dss'), mpint(Buffer.from([7]))], /its type "ssh-dss" is none/],
      [
        'short Ed25519',
        [wireString('ssh-ed25519'), wireString(Buffer.alloc(31))],
        /31 bytes, it must have 32/,
      ],
      [
        'RSA of 1016 bits',
        [wireString('ssh-rsa'), mpint(Buffer.from([1, 0, 1])), mpint(Buffer.alloc(127, 0xff))],
        /1016 bits, RSA keys must have 1024/,
      ],
      [
        'RSA of 16392 bits',
        [wireString('ssh-rsa'), mpint(Buffer.from([1, 0, 1])), mpint(Buffer.alloc(2049, 0xff))],
        /RSA keys may have 16384/,
      ],
      [
        'RSA with a huge exponent',
        [wireString('ssh-rsa'), mpint(Buffer.alloc(9, 0xff)), mpint(Buffer.alloc(256, 0xff))],
        /exponent is too long/,
      ],
      [
        'RSA with a negative number',
        [wireString('ssh-rsa'), wireString(Buffer.from([0x80])), mpint(Buffer.alloc(256, 0xff))],
        /negative/,
      ],
      [
        'RSA with exponent 0',
        [wireString('ssh-rsa'), wireString(''), mpint(Buffer.alloc(256, 0xff))],
        /zero/,
      ],
      [
        'a point beside the curve',
        [
          wireString('ecdsa-sha2-nistp256'),
          curve,
          wireString(Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)])),
        ],
        /numbers are those of no key/,
      ],
      [
        'a compressed point',
        [
          wireString('ecdsa-sha2-nistp256'),
          curve,
          wireString(Buffer.concat([Buffer.from([2]), Buffer.alloc(64, 1)])),
        ],
        /not written in full/,
      ],
      [
        'the curve of another type',
        [wireString('ecdsa-sha2-nistp384'), curve, wireString(Buffer.alloc(97))],
        /curve is not that of its type/,
      ],
      ['more bytes', [ed25519.blob, Buffer.from([0])], /1 bytes follow the key/],
      ['a huge length', [Buffer.from([0xff, 0xff, 0xff, 0xff])], /goes beyond the end/],
    ]
    for (const [what, fields, why] of rows) {
      it(`refuses ${what}`, () => {
        const text = withKey(...fields)
        assert.match(text, /^SignerKeyRefused /)
        assert.match(text, why)
      })
    }
  })

  it('takes an RSA signature without its leading zeros, as some agents write it', () => {
    const small = makeSigningKey('ssh-rsa', { rsaBits: 1024 })
    for (let attempt = 0; attempt < 4_000; attempt += 1) {
      const text = `message ${attempt}`
      const blob = sshsigBlob({ key: small, message: text, namespace: 'kpssh' })
      const bytes = blob.subarray(-128)
      if (bytes[0] !== 0) continue
      const signature = Buffer.concat([wireString('rsa-sha2-512'), wireString(bytes.subarray(1))])
      const armor = writeArmor(
        writeSshsig({ publicKey: small.blob, namespace: 'kpssh', hash: 'sha512', signature }),
      )
      assert.equal(answer({ armor, message: text, signers: [small.line] }), 'verified')
      return
    }
    assert.fail('no signature began with a zero')
  })

  it('never throws and never verifies what was cut, changed or made up', () => {
    const blobs = everyKeyType.map((type) => {
      const key = makeSigningKey(type)
      return { key, blob: sshsigBlob({ key, message, namespace: 'kpssh' }) }
    })
    const edit = fc.record({ at: fc.nat(600), gone: fc.nat(5), put: fc.uint8Array({ maxLength: 5 }) })
    fc.assert(
      fc.property(
        fc.constantFrom(...blobs),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        ({ key, blob }, edits) => {
          const changed = edits.reduce(
            (bytes, { at, gone, put }) =>
              Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + gone)]),
            blob,
          )
          const text = answer({ armor: writeArmor(changed), signers: [key.line], message: 'never signed' })
          assert.notEqual(text, 'verified')
        },
      ),
      { numRuns: 3_000 },
    )
    fc.assert(
      fc.property(fc.string(), fc.string(), (armor, text) => {
        assert.notEqual(answer({ armor, message: text }), 'verified')
        assert.notEqual(
          answer({ armor: `-----BEGIN SSH SIGNATURE-----\n${armor}\n-----END SSH SIGNATURE-----` }),
          'verified',
        )
      }),
      { numRuns: 1_000 },
    )
  })
})
