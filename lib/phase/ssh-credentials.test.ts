import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import type { Secret } from '../api/secret.ts'
import { sshCredentialsOf } from './ssh-credentials.ts'

function aSecret(data: Readonly<Record<string, string>>): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
  return {
    metadata: { name: 'ssh-key', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    data: Object.fromEntries(encoded) as Record<string, string>,
  }
}
const parse = (text: string) => [{ fingerprint: text.trim() }]

describe('sshCredentialsOf', () => {
  it('SSH-05: brings the key and its passphrase, and pins only what the Secret names', () => {
    const bare = sshCredentialsOf(aSecret({ privateKey: 'key' }), 'ns/ssh-key', parse)
    assert.equal(bare.privateKey.reveal(), 'key')
    assert.equal(bare.passphrase, undefined)
    assert.deepEqual(bare.pins, [])
    const whole = aSecret({ privateKey: 'key', passphrase: 'words', knownHost: 'SHA256:x\n' })
    const credentials = sshCredentialsOf(whole, 'ns/ssh-key', parse)
    assert.equal(credentials.passphrase?.reveal(), 'words')
    assert.deepEqual(credentials.pins, [{ fingerprint: 'SHA256:x' }])
  })

  it('SSH-36: shows nothing when it is printed, logged or made into JSON', () => {
    const credentials = sshCredentialsOf(aSecret({ privateKey: 'hunter2hunter2' }), 'ns/ssh-key', parse)
    const shown = `${inspect(credentials, { depth: 9, showHidden: true })}${JSON.stringify(credentials)}`
    assert.equal(Reflect.apply(String, undefined, [credentials.privateKey]), '[secret]')
    assert.ok(!shown.includes('hunter2'))
  })

  it('says which Secret lacks what', () => {
    assert.throws(() => sshCredentialsOf(undefined, 'ns/ssh-key', parse), {
      reason: 'SSHKeyNotFound',
      message: /Secret "ns\/ssh-key": it does not exist/,
    })
    assert.throws(() => sshCredentialsOf(aSecret({ privateKey: ' \n' }), 'ns/ssh-key', parse), {
      reason: 'SSHKeyInvalid',
      message: /privateKey is missing or empty/,
    })
  })
})
