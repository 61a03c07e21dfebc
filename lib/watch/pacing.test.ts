import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultPacing, initialPacing, nextDue, type Pacing, type PacingEvent, stepPacing } from './pacing.ts'

/** A watcher that told everything at instant 0. */
const settled: Pacing = { ...initialPacing, isSynced: true, lastSentAtMs: 0 }

function after(pacing: Pacing, ...events: readonly [atMs: number, event: PacingEvent][]): Pacing {
  return events.reduce((state, [nowMs, event]) => stepPacing(state, { event, nowMs }, defaultPacing), pacing)
}

function due(pacing: Pacing): unknown {
  return nextDue(pacing, defaultPacing)
}

describe('pacing of messages', () => {
  it('sends nothing before every resource is in sync, whatever changes', () => {
    assert.equal(due(after(initialPacing, [5, 'changed'])), undefined)
  })

  it('says Started as soon as the first picture is whole', () => {
    assert.deepEqual(due(after(initialPacing, [5, 'changed'], [9, 'synced'])), { atMs: 0, reason: 'Started' })
  })

  it('sends a heartbeat 30 s after the last message when nothing happens', () => {
    assert.deepEqual(due(settled), { atMs: 30_000, reason: 'Heartbeat' })
  })

  it('waits for one quiet second after a change', () => {
    assert.deepEqual(due(after(settled, [2_000, 'changed'])), { atMs: 3_000, reason: 'Changed' })
  })

  it('starts the quiet second anew with every change', () => {
    assert.deepEqual(due(after(settled, [2_000, 'changed'], [2_900, 'changed'])), {
      atMs: 3_900,
      reason: 'Changed',
    })
  })

  it('waits at most ten seconds after the first of many changes', () => {
    const busy = Array.from({ length: 30 }, (_, index): [number, PacingEvent] => [
      2_000 + index * 500,
      'changed',
    ])
    assert.deepEqual(due(after(settled, ...busy)), { atMs: 12_000, reason: 'Changed' })
  })

  it('keeps a change that comes while a message is on its way', () => {
    const state = after(settled, [2_000, 'changed'], [3_000, 'sending'], [3_100, 'changed'], [3_200, 'sent'])
    assert.deepEqual(due(state), { atMs: 4_100, reason: 'Changed' })
  })

  it('goes back to the heartbeat once the change is told', () => {
    const state = after(settled, [2_000, 'changed'], [3_000, 'sending'], [3_200, 'sent'])
    assert.deepEqual(due(state), { atMs: 33_200, reason: 'Heartbeat' })
  })

  it('WAT-10: keeps the rhythm of the heartbeat when a change turned out to be none', () => {
    const state = after(settled, [2_000, 'changed'], [3_000, 'sending'], [3_000, 'unchanged'])
    assert.deepEqual(due(state), { atMs: 30_000, reason: 'Heartbeat' })
  })

  it('WAT-13: tries again after 1, 2, 4 … 30 s while the queue cannot be reached', () => {
    let state = after(settled, [2_000, 'changed'])
    const waits: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      state = after(state, [100_000, 'sending'], [100_000, 'failed'])
      waits.push((nextDue(state, defaultPacing)?.atMs ?? 0) - 100_000)
    }
    assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  it('WAT-13: forgets its failures with the first message that gets through', () => {
    const state = after(
      settled,
      [2_000, 'changed'],
      [3_000, 'sending'],
      [3_000, 'failed'],
      [4_000, 'sending'],
      [4_100, 'sent'],
    )
    assert.deepEqual(due(after(state, [5_000, 'changed'])), { atMs: 6_000, reason: 'Changed' })
  })

  it('says nothing while what it knows may be old', () => {
    assert.equal(due(after(settled, [2_000, 'changed'], [2_100, 'unsynced'])), undefined)
  })
})
