import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anInvocation } from '../../test/support/builders/sqs-event.ts'
import { fakeLog } from '../../test/support/fakes/log.ts'
import { steeredClock } from '../../test/support/fakes/steered-clock.ts'
import type { Scope } from '../ambient/ports.ts'
import { scheduleHandler } from './schedule-handler.ts'

const clock = steeredClock(1_767_225_600_000)

function setUp(run: (scope: Scope) => Promise<Readonly<Record<string, number>>>) {
  const log = fakeLog()
  const calls: string[] = []
  const handler = scheduleHandler(run, {
    clock,
    log,
    begin: ({ awsRequestId }) => calls.push(`begin ${awsRequestId.slice(0, 4)}`),
    end: () => calls.push('end'),
  })
  return { invoke: () => handler({}, anInvocation(clock)), log, calls }
}

describe('scheduleHandler', () => {
  it('DEV-03: answers an object, also when there was nothing to count', async () => {
    assert.deepEqual(await setUp(() => Promise.resolve({})).invoke(), {})
  })

  it('answers and logs the counts', async () => {
    const { invoke, log } = setUp(() => Promise.resolve({ examined: 3, confirmed: 1 }))
    assert.deepEqual(await invoke(), { examined: 3, confirmed: 1 })
    assert.deepEqual(log.lines, [
      { level: 'info', event: 'schedule.done', facts: { examined: 3, confirmed: 1 } },
    ])
  })

  it('SQS-18: throws what its work throws, so that a failed run is seen to fail', async () => {
    const { invoke, log, calls } = setUp(() => Promise.reject(new Error('table gone')))
    await assert.rejects(invoke(), /table gone/)
    assert.equal(log.lines[0]?.event, 'schedule.failed')
    assert.deepEqual(calls, ['begin 0000', 'end'])
  })

  it('gives its work until shortly before Lambda ends it', async () => {
    let deadlineAtMs = 0
    await setUp((scope) => {
      deadlineAtMs = scope.deadlineAtMs
      return Promise.resolve({})
    }).invoke()
    assert.equal(deadlineAtMs, 1_767_225_658_000)
  })
})
