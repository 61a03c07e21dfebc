import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { narrate } from './narrate.ts'

const line = (facts: object): string => JSON.stringify({ level: 'INFO', message: 'record.done', ...facts })

describe('narrate', () => {
  it('tells how a phase ended, on which host and for whom', () => {
    const facts = {
      service: 'join',
      group: 'lab/kpssh-system/rack-a',
      durationMs: 2631,
      nodeClaim: 'workers-x',
    }
    assert.equal(
      narrate(line({ ...facts, outcome: 'done', result: 'succeeded' })),
      'join of host rack-a for workers-x: succeeded, 2.6 s',
    )
    assert.equal(
      narrate(line({ ...facts, outcome: 'watching' })),
      'join of host rack-a for workers-x: goes on, 2.6 s',
    )
    assert.equal(
      narrate(line({ ...facts, nodeClaim: undefined, outcome: 'retry-later', reason: 'ConnectTimeout' })),
      'join of host rack-a: ConnectTimeout, 2.6 s',
    )
  })

  it('tells what went wrong, with its first cause', () => {
    assert.equal(
      narrate(
        JSON.stringify({
          level: 'ERROR',
          message: 'record.failed',
          service: 'reconcile',
          group: 'lab',
          causes: [{ message: 'Cannot list "nodes": 403' }, { message: 'deeper' }],
        }),
      ),
      'reconcile: record.failed: lab: Cannot list "nodes": 403',
    )
    assert.equal(
      narrate(
        JSON.stringify({
          level: 'ERROR',
          message: 'guard.heartbeat-missing',
          service: 'guard',
          cluster: 'lab',
        }),
      ),
      'guard: guard.heartbeat-missing: lab',
    )
  })

  it('keeps quiet about heartbeats, looks, and what was dropped', () => {
    assert.equal(narrate(line({ service: 'reconcile', group: 'lab', projected: 0 })), undefined)
    assert.equal(narrate(line({ service: 'probe', group: 'lab/ns/a', kind: 'probed' })), undefined)
    assert.equal(narrate(line({ service: 'leave', group: 'lab/ns/a', outcome: 'dropped' })), undefined)
    assert.equal(narrate('(λ: join) RequestId: 1'), undefined)
    assert.equal(narrate('{"level":'), undefined)
  })
})
