import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CapacityError } from './capacity-error.ts'
import { ConfigError } from './config-error.ts'
import { dispositionOf, exitCodeOf } from './disposition.ts'
import { HostError } from './host-error.ts'
import { HostIdentityError } from './host-identity-error.ts'
import { LostRaceError } from './lost-race-error.ts'
import { PhaseError } from './phase-error.ts'
import { SpecError } from './spec-error.ts'
import { TransientError } from './transient-error.ts'
import { VerificationError } from './verification-error.ts'

const rows = [
  [new ConfigError('x'), 'crash', 78],
  [new SpecError('x'), 'reject', 65],
  [new CapacityError('x'), 'reject', 69],
  [new HostError('x'), 'retry', 75],
  [new HostIdentityError('x'), 'reject', 77],
  [new PhaseError('x'), 'reject', 70],
  [new PhaseError('x', { isRetryable: true }), 'retry', 70],
  [new VerificationError('x'), 'reject', 77],
  [new TransientError('x'), 'retry', 75],
  [new LostRaceError('x'), 'drop', 0],
  [new TypeError('x is not a function'), 'crash', 1],
  ['a string that somebody threw', 'crash', 1],
] as const

describe('dispositionOf', () => {
  for (const [error, kind] of rows) {
    it(`answers ${kind} for ${error instanceof Error ? error.name : 'what is no error'}`, () => {
      assert.equal(dispositionOf(error).kind, kind)
    })
  }

  it('passes on how long a dependency asked to wait', () => {
    const throttled = new TransientError('x', { retryAfterMs: 1_500 })
    assert.deepEqual(dispositionOf(throttled), { kind: 'retry', afterMs: 1_500 })
    assert.deepEqual(dispositionOf(new HostError('x')), { kind: 'retry', afterMs: undefined })
  })
})

describe('exitCodeOf', () => {
  it('is that of sysexits.h where one fits, and 1 for a bug', () => {
    assert.deepEqual(
      rows.map(([error]) => exitCodeOf(error)),
      rows.map(([, , exitCode]) => exitCode),
    )
  })
})
