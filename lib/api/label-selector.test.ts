import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vectors } from '../../test/support/kubernetes-vectors.ts'
import { makeLabelMatcher } from './label-selector.ts'

describe('label selectors', () => {
  const { labelSets, cases } = vectors.labelSelector
  for (const { selector, matches, error } of cases) {
    if (error) {
      it(`refuses ${JSON.stringify(selector)}`, () => {
        assert.throws(() => makeLabelMatcher(selector), { reason: 'SelectorInvalid' })
      })
    } else {
      it(`matches by ${JSON.stringify(selector)}`, () => {
        assert.deepEqual(labelSets.map(makeLabelMatcher(selector)), matches)
      })
    }
  }

  it('says which label is wrong and what it must be', () => {
    assert.throws(
      () => makeLabelMatcher({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }),
      {
        message:
          'Cannot select by the label "a": the operator is "Gt", it must be In, NotIn, Exists or DoesNotExist',
      },
    )
  })
})
