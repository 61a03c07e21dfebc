import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vectors } from '../../test/support/kubernetes-vectors.ts'
import { formatKubeletLabels, kubeletMaySelfSet } from './kubelet-labels.ts'

describe('labels that a kubelet sets on itself', () => {
  for (const { key, kubeletMaySelfSet: expected } of vectors.kubeletSelfSetLabels) {
    it(`${expected ? 'may be' : 'may not be'} ${key}`, () => assert.equal(kubeletMaySelfSet(key), expected))
  }

  it('JOIN-04: ref 80: leaves out what would make the kubelet exit, and sorts the rest', () => {
    assert.equal(
      formatKubeletLabels({
        'karpenter.sh/nodepool': 'p',
        'node-restriction.kubernetes.io/team': 'x',
        'custom/label': 'y',
        'kubelet.kubernetes.io/whatever': 'z',
        'node.kubernetes.io/instance-type': 'big',
      }),
      'custom/label=y,karpenter.sh/nodepool=p,kubelet.kubernetes.io/whatever=z,node.kubernetes.io/instance-type=big',
    )
  })
})
