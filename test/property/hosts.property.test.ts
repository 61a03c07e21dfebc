import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isClaimable } from '../../lib/hosts/claimable.ts'
import type { HostEvent, RunResult } from '../../lib/hosts/host-event.ts'
import { HostRecord } from '../../lib/hosts/host-record.ts'
import { newHostRecord } from '../../lib/hosts/new-host-record.ts'
import { withSoundState } from '../../lib/hosts/sound-state.ts'
import { applyHostEvent } from '../../lib/hosts/transitions.ts'
import { aClaim, aHostKey, aStart, anInventory, probed, t0 } from '../support/builders/hosts.ts'

const uid = fc.constantFrom('uid-1', 'uid-2')
const runId = fc.constantFrom('run-1', 'run-2', 'run-3')
const cause = { reason: 'Failed', message: 'exit 1' }
const result: fc.Arbitrary<RunResult> = fc.constantFrom(
  { kind: 'succeeded' },
  { kind: 'failed', ...cause },
  { kind: 'indeterminate', ...cause },
  { kind: 'not-started', ...cause, blamesHost: true },
  { kind: 'not-started', ...cause, blamesHost: false },
  { kind: 'withdrawn', ...cause },
)

const event: fc.Arbitrary<HostEvent> = fc.oneof(
  fc
    .record({ maintenance: fc.boolean(), address: fc.constantFrom('192.0.2.1', '192.0.2.2') })
    .map((said) => ({ kind: 'inventory-seen' as const, inventory: anInventory(said) })),
  uid.map((id) => ({ kind: 'claimed' as const, claim: aClaim({ uid: id }), providerID: 'kpssh://a/h1' })),
  fc
    .record({
      id: runId,
      phase: fc.constantFrom('install', 'join', 'leave'),
      claimUid: fc.option(uid, { nil: undefined }),
    })
    .map(({ id, phase, claimUid }) => ({
      kind: 'run-started' as const,
      run: aStart({ id, phase: phase as 'join' }),
      claimUid,
    })),
  fc.record({ kind: fc.constant('run-finished' as const), runId, result }),
  fc.record({ runId, holder: fc.constantFrom('a', 'b') }).map((watch) => ({
    kind: 'run-watched' as const,
    leaseUntilMs: t0 + 90_000,
    ...watch,
  })),
  uid.map((id) => ({ kind: 'node-matched' as const, uid: id, providerID: 'kpssh://a/h1', nodeName: 'n' })),
  fc.record({ kind: fc.constant('released' as const), uid, isClean: fc.boolean() }),
  uid.map((id) => ({ kind: 'claim-failed' as const, uid: id, ...cause })),
  fc.record({ kind: fc.constant('token-recorded' as const), tokenID: fc.constant('abcdef'), uid }),
  fc.constant({ kind: 'token-collected' as const, tokenID: 'abcdef' }),
  fc
    .record({ agent: fc.constantFrom('active', 'inactive', 'activating'), isOursOnHost: fc.boolean() })
    .map((facts) => probed(facts as Parameters<typeof probed>[0])),
  fc.constant({ kind: 'probe-failed' as const, ...cause }),
  fc.constant({ kind: 'zombie-found' as const }),
  fc.constant({ kind: 'quarantined' as const, reason: 'HostKeyChanged', message: '' }),
  fc.constant({ kind: 'repinned' as const, pins: [{ fingerprint: 'SHA256:new' }] }),
)

const step = fc.record({ event, afterMs: fc.constantFrom(0, 1_000, 120_000, 3_600_000) })
const story = fc.array(step, { minLength: 1, maxLength: 60 })

interface Scene {
  readonly before: HostRecord
  readonly event: HostEvent
  readonly after: HostRecord
  readonly nowMs: number
}

/** Everything that moved when the events came one after another upon a new host. */
function play(steps: readonly { readonly event: HostEvent; readonly afterMs: number }[]): readonly Scene[] {
  let record = newHostRecord(aHostKey(), anInventory())
  let nowMs = t0
  const scenes: Scene[] = []
  for (const { event: happened, afterMs } of steps) {
    nowMs += afterMs
    const transition = applyHostEvent(record, happened, nowMs)
    if (transition.kind !== 'moved') continue
    scenes.push({ before: record, event: happened, after: transition.record, nowMs })
    record = transition.record
  }
  return scenes
}

function always(holds: (scene: Scene) => void): void {
  fc.assert(
    fc.property(story, (steps) => play(steps).forEach(holds)),
    { numRuns: 500 },
  )
}

describe('a host, whatever happens to it in whatever order', () => {
  it('is always a record that the schema accepts, in a state that its fields allow', () => {
    always(({ after }) => {
      assert.deepEqual(HostRecord.parse(after), after)
      assert.equal(withSoundState(after), after)
    })
  })

  it('passes from one NodeClaim to another only by being free in between', () => {
    always(({ before, after }) => {
      if (before.claim !== undefined && after.claim !== undefined) {
        assert.equal(after.claim.uid, before.claim.uid)
      }
    })
  })

  it('DDB-04: has a fence that never falls, and rises with every claim and every start of a run', () => {
    always(({ before, event: happened, after }) => {
      assert.ok(after.fence >= before.fence)
      if (happened.kind === 'claimed' || happened.kind === 'run-started')
        assert.ok(after.fence > before.fence)
    })
  })

  it('POOL-09: stops owing a leave only when one succeeded, its join never started, or it was a guess', () => {
    always(({ before, event: happened, after }) => {
      if (!before.leavePending || after.leavePending) return
      if (happened.kind === 'probed') {
        assert.deepEqual(
          [before.takenIn, before.installed, before.leaveRecipe],
          [false, undefined, undefined],
        )
        return
      }
      assert.equal(happened.kind, 'run-finished')
      const isLeft = after.lastRun?.phase === 'leave' && after.lastRun.result === 'succeeded'
      const isNothingLeft = ['not-started', 'withdrawn'].includes(after.lastRun?.result ?? '')
      const isNeverJoined = after.lastRun?.phase === 'join' && isNothingLeft
      assert.ok(isLeft || isNeverJoined)
    })
  })

  it('is claimed only when it owes nothing, runs nothing and was confirmed', () => {
    always(({ before, event: happened, nowMs }) => {
      if (happened.kind !== 'claimed') return
      assert.ok(isClaimable(withSoundState(before), nowMs))
      assert.ok(!before.leavePending && before.takenIn && before.run === undefined && !before.maintenance)
    })
  })

  it('has its quarantine lifted by an operator only', () => {
    always(({ before, event: happened, after }) => {
      if (before.quarantine !== undefined && after.quarantine === undefined) {
        assert.equal(happened.kind, 'repinned')
      }
    })
  })

  it('does not change when the same event comes a second time', () => {
    always(({ event: happened, after, nowMs }) => {
      const again = applyHostEvent(after, happened, nowMs)
      if (again.kind === 'moved') assert.deepEqual(again.record, after)
    })
  })

  it('comes back to the pool once its run ends, its leave succeeds and a probe sees it clean', () => {
    fc.assert(
      fc.property(story, (steps) => {
        const last = play(steps).at(-1)
        if (last === undefined) return
        const healed = heal(last.after, last.nowMs)
        assert.equal(healed.state, 'Available')
        assert.ok(isClaimable(healed, Number.MAX_SAFE_INTEGER))
      }),
      { numRuns: 500 },
    )
  })
})

/** What the control plane and its operator do about a host, with everything going well. */
function heal(record: HostRecord, nowMs: number): HostRecord {
  const later = nowMs + 3_600_000
  const apply = (host: HostRecord, happened: HostEvent, atMs = later): HostRecord => {
    const transition = applyHostEvent(host, happened, atMs)
    return transition.kind === 'moved' ? transition.record : host
  }
  const leaveRun = (host: HostRecord): HostEvent => ({
    kind: 'run-started',
    run: aStart({ id: 'run-healing', phase: 'leave' }),
    claimUid: host.claim?.uid,
  })
  const finish = (host: HostRecord): HostEvent => ({
    kind: 'run-finished',
    runId: host.run?.id ?? 'none',
    result: { kind: 'succeeded' },
  })
  let host = apply(record, finish(record))
  if (host.quarantine !== undefined) {
    host = apply(host, { kind: 'released', uid: host.claim?.uid ?? 'none', isClean: false })
    host = apply(host, { kind: 'repinned', pins: [] })
  }
  host = apply(host, { kind: 'inventory-seen', inventory: anInventory({ address: host.address }) })
  host = apply(host, leaveRun(host))
  host = apply(host, finish(host))
  host = apply(host, { kind: 'released', uid: host.claim?.uid ?? 'none', isClean: true })
  // The longest back-off starts with the release.
  return apply(host, probed(), later + 1_800_000)
}
