import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vectors } from '../../test/support/kubernetes-vectors.ts'
import { formatTaintsFlag, isSameTaint, parseTaintsFlag } from './taint.ts'

describe('taints of the kubelet flag', () => {
  for (const { in: text, taints, error } of vectors.registerWithTaintsFlag) {
    if (error) {
      it(`refuses ${JSON.stringify(text)}`, () => {
        assert.throws(() => parseTaintsFlag(text), { reason: 'TaintInvalid' })
      })
    } else {
      it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parseTaintsFlag(text), taints))
    }
  }

  it('ref 81: writes key=value:Effect, and key:Effect for a taint without a value', () => {
    assert.equal(
      formatTaintsFlag([
        { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
        { key: 'kpssh/pool', value: '', effect: 'NoSchedule' },
        { key: 'team', value: 'ml', effect: 'NoExecute' },
      ]),
      'karpenter.sh/unregistered:NoExecute,kpssh/pool:NoSchedule,team=ml:NoExecute',
    )
  })

  it('compares taints by key and effect alone', () => {
    assert.equal(isSameTaint({ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoSchedule' }), true)
    assert.equal(isSameTaint({ key: 'a', effect: 'NoSchedule' }, { key: 'a', effect: 'NoExecute' }), false)
  })
})
