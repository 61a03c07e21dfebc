import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joinHash, type JoinInputs } from './join-hash.ts'

const vectors: [JoinInputs, string][] = [
  [{}, '44136fa355b3678a'],
  [{ providerIDSource: 'Static' }, 'a8a33185d3d9d9ca'],
  [{ vars: { k8sMinor: '1.34' } }, '7cf2e73bc57f2041'],
  [{ vars: { k8sMinor: '1.34' }, providerIDSource: 'Static' }, '973cdd0f2f29bfc3'],
  [{ vars: { k8sMinor: '1.34', clusterDNS: '10.96.0.10' }, providerIDSource: 'Static' }, '734a5ee6017466d8'],
  [
    {
      cluster: { caBundle: 'Y2E=', endpoint: 'https://cp:6443' },
      providerIDSource: 'Adopt',
      joinSecretRef: { name: 'eks-activation' },
    },
    'cc54e134946d8580',
  ],
  [{ vars: { a: '<x&y>' }, providerIDSource: 'Static' }, '70c5623fa3b54754'],
  [{ vars: { _: '3', a: '2', B: '1', A: '4' }, providerIDSource: 'Static' }, 'f62afe175183816d'],
]

describe('joinHash', () => {
  for (const [inputs, expected] of vectors) {
    it(`is ${expected} for ${JSON.stringify(inputs)}`, () => assert.equal(joinHash(inputs), expected))
  }

  it('ref 144: changes with vars and cluster, not with an empty map of vars', () => {
    assert.equal(joinHash({ vars: {} }), joinHash({}))
    assert.notEqual(joinHash({ vars: { a: '1' } }), joinHash({ vars: { a: '2' } }))
    assert.notEqual(joinHash({ cluster: { endpoint: 'https://a' } }), joinHash({}))
  })
})
