import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, aJoinedHost, aHostKey } from '../../test/support/builders/hosts.ts'
import { aGuardWorld } from '../../test/support/worlds/guard-world.ts'
import { makeGuard } from './run-guard.ts'

describe('the gauge poolHosts', () => {
  it('ref 149: is set in every pass, by state and class', async () => {
    const world = aGuardWorld(aHost({ name: 'a' }), aHost({ name: 'b' }), aJoinedHost({ key: aHostKey('c') }))
    await world.guard(world.scope)
    assert.deepEqual(world.gauges.lines, [
      'poolHosts pool=lab state=Available class=default: 2',
      'poolHosts pool=lab state=InUse class=default: 1',
    ])
  })

  it('ref 151: is not set when the table could not be read: nobody knows how many there are', async () => {
    const world = aGuardWorld(aHost())
    const unreadable = {
      ...world.hosts,
      list: () => Promise.reject(new Error('throttled')),
      pools: async () => ['lab'],
    }
    await assert.rejects(makeGuard({ ...world.deps, hosts: unreadable })(world.scope), /throttled/)
    assert.deepEqual(world.gauges.lines, [])
  })
})
