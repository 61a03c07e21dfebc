import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RemoteCommand, SshTarget } from '../../execution/ports.ts'
import { bareAddress, checkCommand, checkTarget } from './check-target.ts'

const target: SshTarget = {
  label: 'h1',
  address: '10.0.0.1',
  port: 22,
  user: 'root',
  privateKey: { reveal: () => '' },
  pins: [],
}
const pin = `SHA256:${'a'.repeat(43)}`

describe('checkTarget', () => {
  const sound: readonly Partial<SshTarget>[] = [
    {},
    { address: 'h1.example.com' },
    { address: 'fd00::1' },
    { address: '[fd00::1]' },
    { address: 'fe80::1%eth0' },
    { user: 'ec2-user' },
    { user: '_svc.name' },
    { port: 65_535 },
    { pins: [{ fingerprint: pin }, { type: 'ssh-rsa', fingerprint: pin }] },
  ]
  for (const part of sound) {
    it(`takes ${JSON.stringify(part)}`, () => checkTarget({ ...target, ...part }))
  }

  const flaws: readonly [string, Partial<SshTarget>][] = [
    ['AddressInvalid', { address: '' }],
    ['AddressInvalid', { address: '-oProxyCommand=x' }],
    ['AddressInvalid', { address: 'a b' }],
    ['AddressInvalid', { address: 'root@h1' }],
    ['AddressInvalid', { address: 'h1/x' }],
    ['AddressInvalid', { address: 'h1\n' }],
    ['PortInvalid', { port: 0 }],
    ['PortInvalid', { port: 65_536 }],
    ['PortInvalid', { port: 22.5 }],
    ['PortInvalid', { port: Number.NaN }],
    ['UserInvalid', { user: '' }],
    ['UserInvalid', { user: '-x' }],
    ['UserInvalid', { user: 'a b' }],
    ['UserInvalid', { user: 'a\n' }],
    ['KnownHostInvalid', { pins: [{ fingerprint: 'SHA256:' }] }],
    ['KnownHostInvalid', { pins: [{ type: 'ssh-dss', fingerprint: pin }] }],
  ]
  for (const [reason, part] of flaws) {
    it(`refuses ${JSON.stringify(part)}: ${reason}`, () => {
      assert.throws(() => checkTarget({ ...target, ...part }), {
        reason,
        code: 'SPEC',
        message: /^Cannot connect to "h1": /,
      })
    })
  }
})

describe('checkCommand', () => {
  const budgets = { connectMs: 1, handshakeMs: 1, authMs: 1, commandMs: 1 }
  const command: RemoteCommand = { command: 'bash -s', stdin: new Uint8Array(), maxOutputBytes: 1, budgets }

  it('takes plain words and positive budgets', () => checkCommand(command))

  it('refuses a command of more than printable ASCII', () => {
    for (const text of ['', 'a\nb', 'é', 'a\0'])
      assert.throws(() => checkCommand({ ...command, command: text }), TypeError)
  })

  it('refuses budgets that ssh2 would take for none', () => {
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => checkCommand({ ...command, budgets: { ...budgets, authMs: value } }), TypeError)
    }
  })
})

describe('bareAddress', () => {
  it('takes the brackets off an IPv6 address', () => {
    assert.equal(bareAddress('[fd00::1]'), 'fd00::1')
    assert.equal(bareAddress('fd00::1'), 'fd00::1')
    assert.equal(bareAddress('h1'), 'h1')
  })
})
