import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { rateMs, startSchedule } from './schedule-source.ts'

describe('rateMs', () => {
  it('reads the rates of EventBridge', () => {
    assert.deepEqual(
      ['rate(1 minute)', 'rate(2 minutes)', 'rate(1 hour)', 'rate(3 days)'].map(rateMs),
      [60_000, 120_000, 3_600_000, 259_200_000],
    )
  })
  it('names an expression that it cannot run', () => {
    assert.throws(() => rateMs('cron(0 10 * * ? *)'), /cron\(0 10 \* \* \? \*\)/)
  })
})

describe('startSchedule', () => {
  it('SQS-19: starts at once, then once per interval, and never a second run beside a first', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const ends: (() => void)[] = []
    const schedule = startSchedule(
      { functionName: 'guard', intervalMs: 1_000 },
      { invoke: () => new Promise((resolve) => ends.push(() => resolve({}))), warn: () => assert.fail() },
    )
    assert.equal(ends.length, 1)
    mock.timers.tick(3_000)
    assert.equal(ends.length, 1, 'the first run is not over')
    ends[0]?.()
    await new Promise((resolve) => setImmediate(resolve))
    mock.timers.tick(1_000)
    assert.equal(ends.length, 2)
    schedule.stop()
    ends[1]?.()
    await new Promise((resolve) => setImmediate(resolve))
    mock.timers.tick(5_000)
    assert.equal(ends.length, 2)
    mock.timers.reset()
  })

  it('tells of a run that failed and goes on', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    const warnings: string[] = []
    let runs = 0
    const schedule = startSchedule(
      { functionName: 'guard', intervalMs: 1_000 },
      {
        invoke: () => {
          runs += 1
          return Promise.reject(new Error('table gone'))
        },
        warn: (message) => warnings.push(message),
      },
    )
    await new Promise((resolve) => setImmediate(resolve))
    mock.timers.tick(1_000)
    await new Promise((resolve) => setImmediate(resolve))
    schedule.stop()
    mock.timers.reset()
    assert.equal(runs, 2)
    assert.deepEqual(warnings, ['Scheduled function "guard" failed', 'Scheduled function "guard" failed'])
  })
})
