import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, aHostKey, aJoinedHost } from '../../test/support/builders/hosts.ts'
import { countHosts } from './count-hosts.ts'

describe('countHosts', () => {
  it('ref 149: counts hosts by state and class, and names nothing that there is none of', () => {
    const records = [
      aHost({ name: 'a' }),
      aHost({ name: 'b' }),
      aJoinedHost({ key: aHostKey('c') }),
      aHost({ name: 'd', state: 'Pending', takenIn: false }),
      aHost({ name: 'e', hostClass: 'large' }),
    ]
    assert.deepEqual(countHosts(records), [
      { pool: 'lab', hostClass: 'default', state: 'Available', hosts: 2 },
      { pool: 'lab', hostClass: 'default', state: 'InUse', hosts: 1 },
      { pool: 'lab', hostClass: 'default', state: 'Pending', hosts: 1 },
      { pool: 'lab', hostClass: 'large', state: 'Available', hosts: 1 },
    ])
  })

  it('keeps pools apart', () => {
    const other = aHost({ key: { ...aHostKey('b'), pool: 'shared' } })
    assert.deepEqual(
      countHosts([other, aHost()]).map(({ pool, hosts }) => [pool, hosts]),
      [
        ['lab', 1],
        ['shared', 1],
      ],
    )
  })

  it('ref 150: an empty pool is no series at all', () => assert.deepEqual(countHosts([]), []))
})
