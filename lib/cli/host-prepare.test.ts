import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fakeConsole } from '../../test/support/fakes/console.ts'
import { commands } from './commands.ts'
import { runCommandLine } from './run-command-line.ts'

const signer = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKKsEFsTyvc6o3hkrxjGZDLyq0PwFoADLKEIzrDNx5Bt'
const loginKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

async function prepare(more: Readonly<Record<string, string>>): Promise<string> {
  const options = { signer, 'login-key': loginKey, from: '192.0.2.1', ...more }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const console = fakeConsole()
  const code = await runCommandLine(commands, ['host', 'prepare', '--verified', ...words], console)
  return `${String(code)} ${console.stdout.slice(0, 9)}${console.stderr}`
}

describe('kpssh host prepare', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-keys-'))
  after(() => rmSync(folder, { recursive: true }))

  it('prints a script', async () => {
    assert.equal(await prepare({}), '0 #!/bin/sh')
  })

  it('does not prepare the login that it is to log in with', async () => {
    const refused =
      /^64 kpssh: Cannot prepare "ops@192\.0\.2\.11": ops is the login that is to reach nothing but the shim/
    assert.match(await prepare({ user: 'ops', run: 'ops@192.0.2.11', identity: 'admin' }), refused)
    assert.match(await prepare({ run: 'kpssh@192.0.2.11', identity: 'admin' }), /^64 /)
  })

  it('says what is wrong with a key: no such file, or a private one, of which it shows nothing', async () => {
    const secret = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VzYW0=\n-----END OPENSSH PRIVATE KEY-----\n'
    const file = join(folder, 'key')
    writeFileSync(file, secret)
    for (const option of ['signer', 'login-key', 'revoked']) {
      assert.equal(
        await prepare({ [option]: 'nobody.pub' }),
        `65 kpssh: Cannot use --${option} "nobody.pub": there is no such file, give a public key or the file of one\n`,
      )
      assert.equal(
        await prepare({ [option]: file }),
        `65 kpssh: Cannot use --${option} "${file}": it is a private key, give its public half, "${file}.pub" as a rule\n`,
      )
      assert.equal(
        await prepare({ [option]: `# mine\n${secret}` }),
        `65 kpssh: Cannot use --${option}: it is a private key, give its public half\n`,
      )
    }
  })
})
