import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatInstant } from '../api/rfc3339.ts'
import { parseSigningSpan, type SpanOptions } from './signing-span.ts'

const nowMs = Date.parse('2026-11-30T12:00:00.900Z')

function span(options: SpanOptions): readonly [string, string, number] {
  const { notBeforeMs, notAfterMs, serial } = parseSigningSpan(options, nowMs)
  return [formatInstant(notBeforeMs), formatInstant(notAfterMs), serial]
}

describe('parseSigningSpan', () => {
  it('begins a little before now, for clocks that differ, and ends after thirty days', () => {
    assert.deepEqual(span({}), ['2026-11-30T11:55:00Z', '2026-12-30T11:55:00Z', 1_796_040_000])
  })
  it('takes spans, days and times', () => {
    const notBefore = '2026-12-01'
    assert.deepEqual(span({ notBefore, notAfter: '12h', serial: '7' }), [
      '2026-12-01T00:00:00Z',
      '2026-12-01T12:00:00Z',
      7,
    ])
    assert.equal(span({ notBefore, notAfter: '8w' })[1], '2027-01-26T00:00:00Z')
    assert.equal(span({ notBefore, notAfter: '2027-01-02' })[1], '2027-01-02T00:00:00Z')
    assert.equal(span({ notBefore, notAfter: '2027-01-02T03:04:05Z' })[1], '2027-01-02T03:04:05Z')
  })
  it('refuses what is no time, no span, no serial', () => {
    for (const notAfter of [
      '',
      '0d',
      '30',
      '30m',
      '-1d',
      '1.5d',
      '2026-13-01',
      '2026-02-30',
      '2027-01-02T03:04:05',
      'soon',
      '999999d',
    ]) {
      assert.throws(() => span({ notAfter }), { name: 'UsageError' }, notAfter)
    }
    for (const notBefore of ['now', '30d', '2026-12-32', '2099-01-01T25:00:00Z']) {
      assert.throws(() => span({ notBefore }), { name: 'UsageError' }, notBefore)
    }
    for (const serial of ['0', '-1', '07', '1e3', '9007199254740992', 'x', '']) {
      assert.throws(() => span({ serial }), { name: 'UsageError' }, serial)
    }
  })
  it('refuses an end that is over', () => {
    assert.throws(() => span({ notAfter: '2026-11-30' }), /--not-after "2026-11-30" is over already/)
  })
  it('refuses an end before its beginning', () => {
    assert.throws(
      () => span({ notBefore: '2027-01-02', notAfter: '2027-01-02' }),
      /not later than --not-before/,
    )
  })
})
