import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vectors } from '../../test/support/kubernetes-vectors.ts'
import { makeNodeMatcher, parseInteger } from './node-selector.ts'

describe('node selector terms', () => {
  const { nodeLabels, cases } = vectors.nodeSelectorTerms
  for (const { terms, matches, error } of cases) {
    if (error) {
      it(`refuses ${JSON.stringify(terms)}`, () => {
        assert.throws(() => makeNodeMatcher(terms), { reason: 'NodeSelectorInvalid' })
      })
    } else {
      it(`matches by ${JSON.stringify(terms)}`, () => {
        assert.deepEqual(nodeLabels.map(makeNodeMatcher(terms)), matches)
      })
    }
  }

  it('refuses matchFields', () => {
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['n1'] }]
    assert.throws(() => makeNodeMatcher([{ matchFields }]), { reason: 'NodeSelectorInvalid' })
  })

  it('reads integers as Go does', () => {
    assert.equal(parseInteger('+7'), 7n)
    assert.equal(parseInteger('9223372036854775808'), undefined)
    assert.equal(parseInteger('1.0'), undefined)
    assert.equal(parseInteger(''), undefined)
  })
})
