// Our reading of signatures against ssh-keygen's, in both directions.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { parseSigners } from '../../lib/signature/signers.ts'
import { verifySshsig, type VerifiedSignature } from '../../lib/signature/verify-sshsig.ts'
import { makeKeygenFolder } from '../support/ssh-keygen.ts'
import { throwawayFixture } from '../support/ssh-signing-fixture.ts'
import { everyKeyType, makeSigningKey, signSshsig } from '../support/ssh-signing.ts'

const folder = makeKeygenFolder()
after(() => folder.remove())

const message = '#!/usr/bin/env bash\necho hello\n'
const nowMs = Date.parse('2026-06-15T12:00:00Z')

interface Question {
  readonly signers: readonly string[]
  readonly armor: string
  readonly message?: string | Buffer
  readonly namespace?: string
  readonly nowMs?: number
}

function ask(question: Question): VerifiedSignature {
  const parsed = parseSigners(question.signers)
  if (parsed.kind === 'refused') return parsed
  return verifySshsig({ message, namespace: 'kpssh', nowMs, ...question, signers: parsed.signers })
}

function reasonOf(question: Question): string {
  const verified = ask(question)
  return verified.kind === 'verified' ? 'verified' : verified.reason
}

const keygenKinds: readonly (readonly [string, readonly string[]])[] = [
  ['ed25519', ['-t', 'ed25519']],
  ['rsa-1024', ['-t', 'rsa', '-b', '1024']],
  ['rsa-2048', ['-t', 'rsa', '-b', '2048']],
  ['ecdsa-256', ['-t', 'ecdsa', '-b', '256']],
  ['ecdsa-384', ['-t', 'ecdsa', '-b', '384']],
  ['ecdsa-521', ['-t', 'ecdsa', '-b', '521']],
]

describe('signatures by ssh-keygen', () => {
  for (const [name, args] of keygenKinds) {
    it(`ref 45: of ${name} are right, in the namespace that is named and in the default one`, () => {
      const { file, line } = folder.makeKey(`sign-${name}`, args)
      const armor = folder.sign(file, 'kpssh', message)
      const fingerprint = folder.run(['-l', '-f', `${file}.pub`]).split(' ')[1]
      for (const namespace of ['kpssh', '']) {
        const verified = ask({ signers: [line], armor, namespace })
        assert.equal(verified.kind === 'verified' && verified.fingerprint, fingerprint)
      }
      assert.equal(reasonOf({ signers: [line], armor, message: `${message} ` }), 'SignatureWrong')
      assert.equal(reasonOf({ signers: [line], armor, namespace: 'file' }), 'SignatureOtherNamespace')
    })
  }
  it('ref 45: made elsewhere long ago is right for ssh-keygen and for us', () => {
    const { line, armor } = throwawayFixture
    const said = folder.verify({ allowedSigners: `kpssh ${line}\n`, armor, message, namespace: 'kpssh' })
    assert.ok(said.isAccepted, said.said)
    assert.equal(reasonOf({ signers: [line], armor }), 'verified')
  })
  it('hold over any bytes, also none and many', () => {
    const { file, line } = folder.makeKey('sign-bytes', ['-t', 'ed25519'])
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 13, 10]), Buffer.alloc(262_144, 0xe9)]) {
      assert.equal(
        reasonOf({ signers: [line], armor: folder.sign(file, 'kpssh', bytes), message: bytes }),
        'verified',
      )
    }
  })
  it('hold with sha256 too, where ssh-keygen is told so', () => {
    const { file, line } = folder.makeKey('sign-sha256', ['-t', 'ed25519'])
    const armor = folder.run(['-Y', 'sign', '-q', '-O', 'hashalg=sha256', '-f', file, '-n', 'kpssh'], message)
    assert.equal(reasonOf({ signers: [line], armor }), 'verified')
  })
})

describe('signatures that the test makes', () => {
  for (const type of everyKeyType) {
    it(`of ${type} are right for ssh-keygen and for us`, () => {
      const key = makeSigningKey(type)
      for (const hash of ['sha256', 'sha512'] as const) {
        const armor = signSshsig({ key, message, namespace: 'kpssh' }, { hash })
        const said = folder.verify({
          allowedSigners: `kpssh ${key.line}\n`,
          armor,
          message,
          namespace: 'kpssh',
        })
        assert.ok(said.isAccepted, said.said)
        assert.equal(reasonOf({ signers: [key.line], armor }), 'verified')
        assert.equal(reasonOf({ signers: [key.line], armor, message: 'other' }), 'SignatureWrong')
        const other = folder.verify({
          allowedSigners: `kpssh ${key.line}\n`,
          armor,
          message: 'other',
          namespace: 'kpssh',
        })
        assert.equal(other.isAccepted, false)
      }
    })
  }
  for (const [rsaFormat, expected] of [
    ['rsa-sha2-256', 'verified'],
    ['rsa-sha2-512', 'verified'],
    ['ssh-rsa', 'SignatureAlgorithmRefused'],
  ] as const) {
    it(`ref 46: of an RSA key in format ${rsaFormat} are ${expected === 'verified' ? 'right' : 'refused'} by both`, () => {
      const key = makeSigningKey('ssh-rsa')
      const armor = signSshsig({ key, message, namespace: 'kpssh' }, { rsaFormat })
      const said = folder.verify({
        allowedSigners: `kpssh ${key.line}\n`,
        armor,
        message,
        namespace: 'kpssh',
      })
      assert.equal(said.isAccepted, expected === 'verified', said.said)
      const verified = ask({ signers: [key.line], armor })
      assert.equal(verified.kind === 'verified' ? 'verified' : verified.reason, expected)
      if (verified.kind === 'refused') assert.match(verified.message, /not permitted/)
    })
  }
})

describe('certificates by ssh-keygen', () => {
  const authority = folder.makeKey('authority', ['-t', 'ed25519'])
  const stranger = folder.makeKey('stranger', ['-t', 'ed25519'])
  const signers = [`cert-authority ${authority.line}`]
  const allowedSigners = `kpssh cert-authority ${authority.line}\n`

  function certify(name: string, args: readonly string[], ca = authority.file): string {
    const { file } = folder.makeKey(name, ['-t', 'ed25519'])
    folder.run(['-q', '-s', ca, '-I', `id ${name}`, ...args, `${file}.pub`])
    // ssh-keygen takes the certificate beside the key.
    return folder.sign(`${file}-cert.pub`, 'kpssh', message)
  }

  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['for its principal', ['-n', 'kpssh'], 'verified'],
    ['for its principal among others', ['-n', 'a,kpssh,b'], 'verified'],
    ['for another principal', ['-n', 'other'], 'CertificateNotForPrincipal'],
    ['for nobody', [], 'CertificateNotForPrincipal'],
    ['for hosts', ['-h', '-n', 'kpssh'], 'CertificateNotForUsers'],
    ['that is over', ['-n', 'kpssh', '-V', '20200101Z:20200102Z'], 'CertificateExpired'],
    ['that is yet to begin', ['-n', 'kpssh', '-V', '20800101Z:20800102Z'], 'CertificateNotYetValid'],
    ['within its time', ['-n', 'kpssh', '-V', '20200101Z:20800102Z'], 'verified'],
  ]
  for (const [name, args, expected] of cases) {
    it(`${name}: ${expected}, as ssh-keygen says`, () => {
      const armor = certify(`cert-${name.replaceAll(' ', '-')}`, args)
      assert.equal(reasonOf({ signers, armor }), expected)
      assert.equal(reasonOf({ signers: [allowedSigners], armor }), expected)
      const said = folder.verify({ allowedSigners, armor, message, namespace: 'kpssh' })
      assert.equal(said.isAccepted, expected === 'verified', said.said)
    })
  }
  it('are refused with an option that must be understood, which ssh-keygen passes over', () => {
    const armor = certify('cert-forced', ['-n', 'kpssh', '-O', 'force-command=true'])
    assert.equal(reasonOf({ signers, armor }), 'CertificateOptionUnknown')
  })
  it('are refused by both when another authority made them', () => {
    const armor = certify('cert-stranger', ['-n', 'kpssh'], stranger.file)
    assert.equal(reasonOf({ signers, armor }), 'CertificateNotTrusted')
    assert.equal(folder.verify({ allowedSigners, armor, message, namespace: 'kpssh' }).isAccepted, false)
  })
  it('are not accepted for a signer that is no authority, nor is the authority itself for a signer', () => {
    const armor = certify('cert-plain', ['-n', 'kpssh'])
    const plain = `kpssh ${authority.line}\n`
    assert.equal(reasonOf({ signers: [plain], armor }), 'CertificateNotTrusted')
    assert.equal(
      folder.verify({ allowedSigners: plain, armor, message, namespace: 'kpssh' }).isAccepted,
      false,
    )
    const own = folder.sign(authority.file, 'kpssh', message)
    assert.equal(reasonOf({ signers, armor: own }), 'SignerNotTrusted')
    assert.equal(folder.verify({ allowedSigners, armor: own, message, namespace: 'kpssh' }).isAccepted, false)
  })
  for (const type of everyKeyType) {
    it(`of a ${type} key, by an authority of each kind`, () => {
      const key = makeSigningKey(type)
      const name = `certified-${type.replace(/@.*/, '')}`
      const file = folder.write(`${name}.pub`, `${key.line}\n`)
      for (const [kind, args] of keygenKinds.filter(([each]) => each !== 'rsa-1024')) {
        const ca = folder.makeKey(`ca-${name}-${kind}`, args)
        folder.run(['-q', '-s', ca.file, '-I', 'id', '-n', 'kpssh', file])
        const publicKey = Buffer.from(folder.read(`${name}-cert.pub`).split(' ')[1] ?? '', 'base64')
        const armor = signSshsig({ key, message, namespace: 'kpssh' }, { publicKey })
        assert.equal(reasonOf({ signers: [`cert-authority ${ca.line}`], armor }), 'verified', kind)
        const allowed = `kpssh cert-authority ${ca.line}\n`
        const said = folder.verify({ allowedSigners: allowed, armor, message, namespace: 'kpssh' })
        assert.ok(said.isAccepted, said.said)
      }
    })
  }
  it('of security keys say whether a touch will do, and their authority has to agree to less', () => {
    const key = makeSigningKey('sk-ssh-ed25519@openssh.com')
    const file = folder.write('sk.pub', `${key.line}\n`)
    const answer = (flags: number, option: string, line: string) => {
      folder.run(['-q', '-s', authority.file, '-I', 'id', '-n', 'kpssh', '-O', option, file])
      const publicKey = Buffer.from(folder.read('sk-cert.pub').split(' ')[1] ?? '', 'base64')
      const armor = signSshsig({ key, message, namespace: 'kpssh' }, { publicKey, flags })
      return reasonOf({ signers: [line], armor })
    }
    const [plain = ''] = signers
    const untouched = `cert-authority,no-touch-required ${authority.line}`
    assert.equal(answer(1, 'verify-required', plain), 'SignatureWithoutTouch')
    assert.equal(answer(5, 'verify-required', plain), 'verified')
    assert.equal(answer(0, 'no-touch-required', plain), 'SignatureWithoutTouch')
    assert.equal(answer(0, 'no-touch-required', untouched), 'verified')
    assert.equal(answer(0, 'clear', untouched), 'SignatureWithoutTouch')
  })
  it('that were changed after the authority signed them are refused by both', () => {
    const key = makeSigningKey('ssh-ed25519')
    const file = folder.write('changed.pub', `${key.line}\n`)
    folder.run(['-q', '-s', authority.file, '-I', 'id', '-n', 'mpssh', file])
    const blob = Buffer.from(folder.read('changed-cert.pub').split(' ')[1] ?? '', 'base64')
    const publicKey = Buffer.from(blob.toString('latin1').replace('mpssh', 'kpssh'), 'latin1')
    const armor = signSshsig({ key, message, namespace: 'kpssh' }, { publicKey })
    assert.equal(reasonOf({ signers, armor }), 'CertificateWrong')
    assert.equal(folder.verify({ allowedSigners, armor, message, namespace: 'kpssh' }).isAccepted, false)
  })
})

describe('lines of allowed_signers', () => {
  const { file, line } = folder.makeKey('allowed', ['-t', 'ed25519'])
  const armor = folder.sign(file, 'kpssh', message)
  const rows: readonly (readonly [string, string])[] = [
    [`kpssh ${line}`, 'verified'],
    [`kpssh namespaces="kpssh" ${line}`, 'verified'],
    [`kpssh NAMESPACES="kpssh" ${line}`, 'verified'],
    [`kpssh namespaces="file,kps*" ${line}`, 'verified'],
    [`kpssh namespaces="kpssh-manifest" ${line}`, 'SignerNotForNamespace'],
    [`kpssh namespaces="*,!kpssh" ${line}`, 'SignerNotForNamespace'],
    [`kpssh valid-after="20200101Z" ${line}`, 'verified'],
    [`kpssh valid-after="20800101Z" ${line}`, 'SignerNotYetValid'],
    [`kpssh valid-before="20200101Z" ${line}`, 'SignerExpired'],
    [`kpssh valid-before="20200101120000" ${line}`, 'SignerExpired'],
    [`kpssh valid-before="208001011200Z",valid-after="20200101",namespaces="kpssh" ${line}`, 'verified'],
    [`a,kpssh ${line}`, 'verified'],
    [`k* ${line}`, 'verified'],
    [`"kpssh" ${line}`, 'verified'],
    [`*,!kpssh ${line}`, 'SignerNotForPrincipal'],
    [`other ${line}`, 'SignerNotForPrincipal'],
    [`other ${line}\nkpssh ${line}`, 'verified'],
    [`# comment\n\nkpssh ${line}`, 'verified'],
    [`kpssh cert-authority ${line}`, 'SignerNotTrusted'],
    [`kpssh restrict ${line}`, 'SignerInvalid'],
    [`kpssh namespaces="kpssh",namespaces="kpssh" ${line}`, 'SignerInvalid'],
    [`kpssh valid-after="yesterday" ${line}`, 'SignerInvalid'],
    [`kpssh namespaces=kpssh ${line}`, 'SignerInvalid'],
    [`kpssh not a key`, 'SignerInvalid'],
    [`kpssh valid-before="20200101",valid-after="20210101" ${line}`, 'SignerInvalid'],
  ]
  for (const [lines, expected] of rows) {
    it(`${lines.replaceAll(line, 'KEY').replaceAll('\n', ' / ')}: ${expected}, as ssh-keygen says`, () => {
      assert.equal(reasonOf({ signers: [lines], armor }), expected)
      const said = folder.verify({ allowedSigners: `${lines}\n`, armor, message, namespace: 'kpssh' })
      assert.equal(said.isAccepted, expected === 'verified', said.said)
    })
  }
})
