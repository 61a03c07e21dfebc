import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parsePrivateKey, validatePrivateKey } from './private-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'kpssh-keys-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const passphrase = 'correct horse battery'
const secret = (text: string) => ({ reveal: () => text })

interface Kind {
  readonly name: string
  readonly sshType: string
  readonly keygen: readonly string[]
}
const kinds: readonly Kind[] = [
  { name: 'rsa', sshType: 'ssh-rsa', keygen: ['-t', 'rsa', '-b', '2048'] },
  { name: 'p256', sshType: 'ecdsa-sha2-nistp256', keygen: ['-t', 'ecdsa', '-b', '256'] },
  { name: 'p384', sshType: 'ecdsa-sha2-nistp384', keygen: ['-t', 'ecdsa', '-b', '384'] },
  { name: 'p521', sshType: 'ecdsa-sha2-nistp521', keygen: ['-t', 'ecdsa', '-b', '521'] },
  { name: 'ed25519', sshType: 'ssh-ed25519', keygen: ['-t', 'ed25519'] },
]

function openSsh(name: string, keygen: readonly string[], more: readonly string[] = ['-N', '']): string {
  const file = join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-C', 'test', ...keygen, ...more, '-f', file])
  return readFileSync(file, 'utf8')
}

function fingerprintBySshKeygen(name: string): string {
  return (
    execFileSync('ssh-keygen', ['-lf', join(folder, `${name}.pub`)])
      .toString()
      .split(' ')[1] ?? ''
  )
}

function generate(name: string): KeyObject {
  if (name === 'rsa') return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  if (name === 'ed25519') return generateKeyPairSync('ed25519').privateKey
  return generateKeyPairSync('ec', { namedCurve: name === 'p256' ? 'prime256v1' : `secp${name.slice(1)}r1` })
    .privateKey
}

const manglings: readonly [string, (text: string) => string][] = [
  ['LF', (text) => text],
  ['CRLF', (text) => text.replaceAll('\n', '\r\n')],
  ['no final newline', (text) => text.trimEnd()],
  ['a byte order mark', (text) => `\uFEFF${text}`],
  ['spaces around it and before its lines', (text) => `\n  ${text.replaceAll('\n', '  \n  ')}\n\n`],
  ['base64 around it', (text) => Buffer.from(text).toString('base64')],
  [
    'wrapped base64 around it',
    (text) =>
      (
        Buffer.from(text)
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      ).join('\n'),
  ],
]

function readsMangled(text: string, sshType: string, word?: string): void {
  for (const [how, mangle] of manglings) {
    const found = validatePrivateKey(secret(mangle(text)), word === undefined ? undefined : secret(word))
    assert.equal(found.type, sshType, how)
  }
}

describe('SSH-05: private keys', () => {
  for (const { name, sshType, keygen } of kinds) {
    it(`reads ${name} in an OpenSSH container, and names it as ssh-keygen does`, () => {
      const text = openSsh(`plain-${name}`, keygen)
      readsMangled(text, sshType)
      assert.equal(validatePrivateKey(secret(text)).fingerprint, fingerprintBySshKeygen(`plain-${name}`))
    })

    for (const cipher of ['aes256-ctr', 'aes256-gcm@openssh.com']) {
      it(`reads ${name} in an OpenSSH container under ${cipher}`, () => {
        const more = ['-N', passphrase, '-Z', cipher, '-a', '4']
        const text = openSsh(`${name}-${cipher}`, keygen, more)
        readsMangled(text, sshType, passphrase)
        assert.throws(() => parsePrivateKey(secret(text), secret('wrong')), {
          reason: 'KeyPassphraseWrong',
          code: 'SPEC',
        })
        assert.throws(() => parsePrivateKey(secret(text)), { reason: 'KeyPassphraseMissing', code: 'SPEC' })
      })
    }

    it(`reads ${name} in PKCS#8, encrypted or not`, () => {
      const key = generate(name)
      readsMangled(key.export({ type: 'pkcs8', format: 'pem' }).toString(), sshType)
      const encrypted = key
        .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })
        .toString()
      readsMangled(encrypted, sshType, passphrase)
      assert.throws(() => parsePrivateKey(secret(encrypted), secret('wrong')), {
        reason: 'KeyPassphraseWrong',
      })
      assert.throws(() => parsePrivateKey(secret(encrypted)), { reason: 'KeyPassphraseMissing' })
    })

    if (name !== 'ed25519') {
      const type = name === 'rsa' ? 'pkcs1' : 'sec1'
      it(`reads ${name} in ${type}, encrypted or not`, () => {
        const key = generate(name)
        const exported = key.export({ type, format: 'pem' } as { type: 'pkcs1'; format: 'pem' }).toString()
        readsMangled(exported, sshType)
        const options = { type, format: 'pem', cipher: 'aes-128-cbc', passphrase } as {
          type: 'pkcs1'
          format: 'pem'
        }
        const encrypted = key.export(options).toString()
        readsMangled(encrypted, sshType, passphrase)
        assert.throws(() => parsePrivateKey(secret(encrypted), secret('wrong')), {
          reason: 'KeyPassphraseWrong',
        })
      })
    }
  }

  it('signs with a key that came in PKCS#8 as with the same key in an OpenSSH container', () => {
    const key = generate('ed25519')
    const parsed = parsePrivateKey(secret(key.export({ type: 'pkcs8', format: 'pem' }).toString()))
    const signature = parsed.sign(Buffer.from('data'))
    assert.ok(parsed.verify(Buffer.from('data'), signature))
    const der = key.export({ type: 'pkcs8', format: 'der' })
    const again = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const other = parsePrivateKey(secret(again.export({ type: 'pkcs8', format: 'pem' }).toString()))
    assert.deepEqual(other.getPublicSSH(), parsed.getPublicSSH())
  })

  it('is not kept busy by what is no key, whatever it is made of', () => {
    for (const text of [`x${' '.repeat(60_000)}y`, '-----BEGIN '.repeat(5_000), 'A'.repeat(1_000_000)]) {
      assert.throws(() => validatePrivateKey({ reveal: () => text }), { reason: 'KeyInvalid' })
    }
  })

  it('does not mind a passphrase that nothing needs', () => {
    assert.equal(
      validatePrivateKey(secret(openSsh('free', ['-t', 'ed25519'])), secret('any')).type,
      'ssh-ed25519',
    )
  })

  const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`
  const unsupported: readonly [string, string, RegExp][] = [
    ['DSA', pem('DSA PRIVATE KEY'), /ssh-keygen -t ed25519/],
    ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n', /puttygen KEY .* ssh-keygen -p -f/],
    [
      'X25519',
      generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      /ssh-keygen -p/,
    ],
    [
      'Ed448',
      generateKeyPairSync('ed448').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      /ssh-keygen -p/,
    ],
  ]
  for (const [what, text, advice] of unsupported) {
    it(`says of a ${what} key what converts or replaces it`, () => {
      assert.throws(() => parsePrivateKey(secret(text)), {
        reason: 'KeyFormatUnsupported',
        code: 'SPEC',
        message: advice,
      })
    })
  }

  const invalid: readonly [string, string][] = [
    ['nothing', ''],
    ['prose', 'not a key'],
    ['a public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA x'],
    ['a certificate', pem('CERTIFICATE')],
    ['a public key in PEM', pem('PUBLIC KEY')],
    ['a damaged OpenSSH container', pem('OPENSSH PRIVATE KEY')],
    ['damaged PKCS#8', pem('PRIVATE KEY')],
    ['half a file', openSsh('half', ['-t', 'ed25519']).slice(0, 150)],
  ]
  for (const [what, text] of invalid) {
    it(`ref 19: refuses ${what}`, () => {
      assert.throws(() => parsePrivateKey(secret(text)), { reason: 'KeyInvalid', code: 'SPEC' })
    })
  }

  it('lets nothing of a key into a message', () => {
    const texts = [
      openSsh('leak-open', ['-t', 'ed25519'], ['-N', passphrase]),
      generate('rsa').export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString(),
      generate('ed25519').export({ type: 'pkcs8', format: 'pem' }).toString().replace('\n', '\nAAAA'),
    ]
    for (const text of texts) {
      const chunks = text.split('\n').filter((line) => line.length > 20 && !line.includes('-----'))
      try {
        parsePrivateKey(secret(text), secret('wrong'))
        assert.fail('it was read')
      } catch (error) {
        assert.ok(error instanceof Error)
        const told = `${error.message} ${JSON.stringify(error)} ${String(error.cause)}`
        for (const chunk of [...chunks, passphrase]) assert.ok(!told.includes(chunk.slice(0, 16)), told)
      }
    }
  })
})

describe('what ssh-keygen writes of what we read', () => {
  it('agrees with it about a converted key', () => {
    const key = generate('ed25519')
    const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' }).toString()
    const file = join(folder, 'converted')
    const blob = parsePrivateKey(secret(pkcs8)).getPublicSSH().toString('base64')
    writeFileSync(`${file}.pub`, `ssh-ed25519 ${blob}\n`)
    assert.equal(validatePrivateKey(secret(pkcs8)).fingerprint, fingerprintBySshKeygen('converted'))
  })
})
