import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aNodePool } from '../../test/support/builders/node-pools.ts'
import { nodePoolHash } from './node-pool-hash.ts'
import type { Taint } from './taint.ts'

const one: Taint = { key: 'a', effect: 'NoSchedule' }
const other: Taint = { key: 'b', value: 'x', effect: 'NoExecute' }

describe('nodePoolHash', () => {
  const before = nodePoolHash(aNodePool())

  it('KS-129: changes with what is baked into nodes', () => {
    const changes = [
      aNodePool({ labels: { a: 'b' } }),
      aNodePool({ annotations: { a: 'b' } }),
      aNodePool({ taints: [one] }),
      aNodePool({ startupTaints: [one] }),
      aNodePool({ nodeClass: 'other' }),
      aNodePool({ expireAfter: '1h' }),
      aNodePool({ terminationGracePeriod: '1h' }),
    ].map(nodePoolHash)
    assert.equal(new Set([before, ...changes]).size, 8)
  })

  it('KS-129: stays with disruption, limits, weight and requirements', () => {
    const requirements = [{ key: 'a', operator: 'Exists' }]
    for (const same of [
      { limits: { cpu: '4' } },
      { weight: 9 },
      { consolidateAfter: '1h' },
      { requirements },
    ]) {
      assert.equal(nodePoolHash(aNodePool(same)), before)
    }
  })

  it('does not heed the order of taints', () => {
    assert.equal(
      nodePoolHash(aNodePool({ taints: [one, other] })),
      nodePoolHash(aNodePool({ taints: [other, one] })),
    )
  })
})
