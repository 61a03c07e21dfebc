import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aNodePool } from '../../test/support/builders/kubernetes.ts'
import type { Budget } from '../api/node-pool.ts'
import { allowedDisruptions } from './budgets.ts'
import { hasHit, parseCron } from './cron.ts'

const at = (text: string): number => Date.parse(text)
/** A Thursday. */
const noon = at('2026-01-01T12:00:00Z')

function allowed(budgets: readonly Budget[], { nodes = 10, busy = 0, nowMs = noon } = {}): number {
  const disruption = { consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty', budgets: [...budgets] }
  return allowedDisruptions(aNodePool({ spec: { disruption } }), 'Empty', { nodes, busy, nowMs })
}

describe('allowedDisruptions', () => {
  it('KS-147: takes a percentage of the nodes, rounded up', () => {
    const limits = ['100%', '0%', '30%', '25%', '3', '0'].map((nodes) => allowed([{ nodes }]))
    assert.deepEqual(limits, [10, 0, 3, 3, 3, 0])
    assert.equal(allowed([{ nodes: '50%' }], { nodes: 3 }), 2)
  })

  it('KS-175: takes the least of several budgets', () => {
    assert.equal(allowed([{ nodes: '50%' }, { nodes: '2' }]), 2)
  })

  it('KS-175: lets a budget without reasons cap every reason, and others only theirs', () => {
    assert.equal(allowed([{ nodes: '1' }, { nodes: '5', reasons: ['Empty'] }]), 1)
    assert.equal(
      allowed([
        { nodes: '1', reasons: ['Drifted'] },
        { nodes: '5', reasons: ['Empty'] },
      ]),
      5,
    )
  })

  it('KS-175: ignores inactive budgets; without an active one there is no limit', () => {
    const night = { nodes: '0', schedule: '0 22 * * *', duration: '8h' }
    assert.equal(allowed([night]), Infinity)
    assert.equal(allowed([night], { nowMs: at('2026-01-02T05:59:00Z') }), 0)
    assert.equal(allowed([night], { nowMs: at('2026-01-02T06:00:00Z') }), Infinity)
  })

  it('KS-175: a window longer than its period is always open', () => {
    assert.equal(allowed([{ nodes: '1', schedule: '@daily', duration: '48h' }]), 1)
  })

  it('KS-175: allows nothing when any budget cannot be read, whatever its reasons', () => {
    const unreadable: readonly Budget[] = [
      { nodes: 'many' },
      { nodes: '10%', schedule: '61 * * * *', duration: '1h' },
      { nodes: '10%', schedule: '@daily' },
      { nodes: 'x', reasons: ['Drifted'] },
    ]
    for (const budget of unreadable) assert.equal(allowed([{ nodes: '100%' }, budget]), 0)
  })

  it('KS-176: takes off what is busy already, and never goes below zero', () => {
    assert.equal(allowed([{ nodes: '10%' }], { busy: 2 }), 0)
    assert.equal(allowed([{ nodes: '100%' }], { busy: 2 }), 8)
  })
})

describe('cron', () => {
  const hits = (schedule: string, from: string, to: string) => hasHit(parseCron(schedule), at(from), at(to))

  it('hits at the minute, not before it and not twice', () => {
    assert.equal(hits('0 12 * * *', '2026-01-01T11:59:59Z', '2026-01-01T12:00:00Z'), true)
    assert.equal(hits('0 12 * * *', '2026-01-01T12:00:00Z', '2026-01-02T11:59:59Z'), false)
  })

  it('reads lists, ranges, steps, names and nicknames', () => {
    assert.deepEqual([...parseCron('*/20 1-3,5 * jan,DEC mon-fri').minutes], [0, 20, 40])
    assert.deepEqual([...parseCron('*/20 1-3,5 * jan,DEC mon-fri').hours], [1, 2, 3, 5])
    assert.deepEqual([...parseCron('*/20 1-3,5 * jan,DEC mon-fri').months], [1, 12])
    assert.deepEqual([...parseCron('*/20 1-3,5 * jan,DEC mon-fri').daysOfWeek], [1, 2, 3, 4, 5])
    assert.deepEqual([...parseCron('10/25 * * * *').minutes], [10, 35])
    assert.equal(hits('@weekly', '2026-01-03T00:00:00Z', '2026-01-04T00:00:00Z'), true)
  })

  it('takes either day field when both restrict', () => {
    assert.equal(hits('0 0 13 * fri', '2026-01-01T12:00:00Z', '2026-01-02T12:00:00Z'), true)
    assert.equal(hits('0 0 13 * *', '2026-01-01T12:00:00Z', '2026-01-02T12:00:00Z'), false)
  })

  it('knows leap days', () => {
    assert.equal(hits('0 0 29 2 *', '2024-03-01T00:00:00Z', '2028-02-28T00:00:00Z'), false)
    assert.equal(hits('0 0 29 2 *', '2024-03-01T00:00:00Z', '2028-02-29T00:00:00Z'), true)
  })

  const broken = [
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '5-1 * * * *',
    '*/0 * * * *',
    'x * * * *',
    '@never',
    '* * * * 7',
  ]
  for (const schedule of broken) {
    it(`refuses "${schedule}"`, () => {
      assert.throws(() => parseCron(schedule), { name: 'SpecError', reason: 'ScheduleInvalid' })
    })
  }
})
