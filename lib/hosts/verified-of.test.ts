import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verifiedOf } from './verified-of.ts'

const spec = {
  address: '192.0.2.1',
  port: 22,
  user: 'kpssh',
  sshKeySecretRef: { name: 'ssh-key' },
  capacity: { cpu: '4', memory: '8Gi' },
}

describe('verifiedOf', () => {
  it('is nothing in mode Raw, whoever is trusted', () => {
    assert.equal(verifiedOf({ ...spec, execMode: 'Raw', trustedSigners: ['ssh-ed25519 AAAA'] }), undefined)
  })

  it('starts the shim where every host has it, unless another command is named', () => {
    const command = (shimCommand?: string) =>
      verifiedOf({ ...spec, execMode: 'Verified', ...(shimCommand !== undefined && { shimCommand }) })
        ?.shimCommand
    assert.equal(command(), '/opt/kpssh/kpssh-shim')
    assert.equal(command(''), '/opt/kpssh/kpssh-shim')
    assert.equal(command('/usr/local/bin/shim'), '/usr/local/bin/shim')
  })

  it('trusts nobody where an older object names nobody', () => {
    assert.deepEqual(verifiedOf({ ...spec, execMode: 'Verified' })?.trustedSigners, [])
  })
})
