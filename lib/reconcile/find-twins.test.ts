import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost } from '../../test/support/builders/hosts.ts'
import { findTwins } from './find-twins.ts'

describe('findTwins', () => {
  it('finds one machine under two names by its address', () => {
    const twins = findTwins([
      aHost({ name: 'a' }),
      aHost({ name: 'b' }),
      aHost({ name: 'c', address: '192.0.2.3' }),
    ])
    assert.deepEqual([...twins.values()].sort(), ['a', 'b'])
  })

  it('finds one machine under two addresses by its host key', () => {
    const hostKeys = [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'A'.repeat(43)}` }]
    const twins = findTwins([
      aHost({ name: 'a', hostKeys }),
      aHost({ name: 'b', address: '192.0.2.2', hostKeys }),
    ])
    assert.equal(twins.size, 2)
  })

  it('does not take two ports of one address for one machine', () => {
    assert.equal(findTwins([aHost({ name: 'a' }), aHost({ name: 'b', port: 2222 })]).size, 0)
  })
})
