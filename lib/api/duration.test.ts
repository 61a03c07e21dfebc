import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vectors } from '../../test/support/kubernetes-vectors.ts'
import { Duration, parseDurationMs, parseDurationOrNeverMs, parseGoDurationMs } from './duration.ts'

describe('durations', () => {
  for (const { in: text, patternOK, goSeconds, goError } of vectors.duration) {
    const name = JSON.stringify(text)
    if (goError) {
      it(`refuses ${name} as Go does`, () => {
        assert.throws(() => parseGoDurationMs(text))
      })
    } else {
      it(`reads ${name} as Go does`, () => assert.equal(parseGoDurationMs(text), goSeconds! * 1000))
    }
    if (patternOK && !goError) {
      it(`takes ${name} in our fields`, () => {
        assert.equal(parseDurationMs(text), goSeconds! * 1000)
        assert.equal(Duration.safeParse(text).success, true)
      })
    } else {
      it(`refuses ${name} in our fields`, () => {
        assert.throws(() => parseDurationMs(text))
        assert.equal(Duration.safeParse(text).success, false)
      })
    }
  }

  it('refuses a total that overflows, and says so', () => {
    assert.throws(() => parseDurationMs('99999999999999h'), {
      reason: 'DurationOverflow',
      message: 'Cannot use the duration "99999999999999h": it overflows, the longest is 2562047h47m16s',
    })
    assert.equal(
      Duration.safeParse('2562047h48m').error?.issues[0]?.message,
      'the duration overflows: the longest is 2562047h47m16s',
    )
  })

  it('takes the longest duration that Go can count', () => {
    assert.equal(parseDurationMs('2562047h47m16s'), 9_223_372_036_000)
  })

  it('adds components in any order and number', () => {
    assert.equal(parseGoDurationMs('-1m1.5s500ms'), -62_000)
    assert.equal(parseGoDurationMs('0'), 0)
    assert.throws(() => parseGoDurationMs('.s'))
  })

  it('reads Never as a duration without end', () => {
    assert.equal(parseDurationOrNeverMs('Never'), Infinity)
    assert.equal(parseDurationOrNeverMs('720h'), 2_592_000_000)
  })
})
