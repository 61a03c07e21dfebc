import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vectors } from '../../test/support/kubernetes-vectors.ts'
import { tolerates, toleratesTaint } from './toleration.ts'

describe('tolerations', () => {
  const { taints, cases } = vectors.tolerations
  for (const { toleration, tolerates: expected } of cases) {
    it(`compares ${JSON.stringify(toleration)} with taints`, () => {
      assert.deepEqual(
        taints.map((taint) => tolerates(toleration, taint)),
        expected,
      )
    })
  }

  it('needs one toleration of several', () => {
    const taint = { key: 'a', value: 'b', effect: 'NoSchedule' } as const
    assert.equal(toleratesTaint([{ key: 'x' }, { key: 'a', operator: 'Exists' }], taint), true)
    assert.equal(toleratesTaint([], taint), false)
  })
})
