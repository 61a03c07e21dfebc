import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaimedHost, aHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import { after } from '../../test/support/builders/transitions.ts'
import type { HostEvent } from './host-event.ts'
import { withShortTexts } from './short-texts.ts'

const long = { reason: 'R'.repeat(100_000), message: '\u{1F600}'.repeat(500_000) }

describe('texts of a record', () => {
  const events: readonly HostEvent[] = [
    { kind: 'probe-failed', ...long },
    { kind: 'quarantined', ...long },
    { kind: 'released', uid: 'uid-1', isClean: false, ...long },
    { kind: 'run-finished', runId: 'run-1', result: { kind: 'failed', ...long } },
  ]
  for (const event of events) {
    it(`stay far below the size of an item, whatever ${event.kind} tells`, () => {
      const isFree = event.kind === 'probe-failed' || event.kind === 'quarantined'
      const isRunning = event.kind === 'run-finished'
      const host = isFree ? aHost() : aClaimedHost({ leavePending: true, ...(isRunning && { run: aRun() }) })
      const text = JSON.stringify(after(host, event, t0))
      assert.ok(Buffer.byteLength(text) < 40_000, String(text.length))
      assert.match(text, /R{127}…/)
    })
  }

  it('are kept as they are told where they are short', () => {
    const event = { kind: 'probe-failed', reason: 'ConnectRefused', message: 'the port is closed' } as const
    assert.deepEqual(withShortTexts(event), event)
  })
})
