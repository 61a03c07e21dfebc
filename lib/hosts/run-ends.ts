// What the end of a run changes in the record, by how it ended. run-finished-rules.ts says when each applies.
import { hostFailed, leaveFailed, specFailed, type FailureCause } from './failures.ts'
import type { HostRecord } from './host-record.ts'
import type { HostEventOf } from './transition-rule.ts'

export type RunFinished = HostEventOf<'run-finished'>
export type Result = RunFinished['result']

/** Only the start of a join makes a leave owed; one that left nothing behind takes that back. */
export function withdraw(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  const { run, leavePending } = record
  const isStillOwed = run?.phase === 'join' ? run.wasLeavePending === true : leavePending
  return { ...endRun(record, event, nowMs), leavePending: isStillOwed }
}

export function isHostToBlame(_record: HostRecord, { result }: RunFinished): boolean {
  return result.kind !== 'not-started' || result.blamesHost
}

export function explain({ result }: RunFinished): FailureCause {
  return result.kind === 'succeeded'
    ? { reason: 'Succeeded', message: '' }
    : { reason: result.reason, message: result.message }
}

export function endRun({ run }: HostRecord, { result }: RunFinished, nowMs: number): Partial<HostRecord> {
  return {
    run: undefined,
    lastRun: run && {
      id: run.id,
      phase: run.phase,
      result: result.kind,
      ...(result.kind === 'succeeded' ? {} : { reason: result.reason }),
      endedAtMs: nowMs,
    },
  }
}

export function failClaim(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  const cause = explain(event)
  const blamesHost = isHostToBlame(record, event)
  return {
    ...endRun(record, event, nowMs),
    claim: record.claim && {
      ...record.claim,
      failure: { phase: record.run?.phase ?? 'join', ...cause, blamesHost },
    },
    failures: (blamesHost ? hostFailed : specFailed)(record, cause, nowMs),
  }
}

export function succeedJoin(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  return {
    ...endRun(record, event, nowMs),
    claim: record.claim && { ...record.claim, joinedAtMs: nowMs },
    failures: undefined,
  }
}

export function succeedLeave(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  return {
    ...endRun(record, event, nowMs),
    leavePending: false,
    leaveAttempts: 0,
    agent: undefined,
    failures: record.failures?.count === 0 ? undefined : record.failures,
  }
}

export function failLeave(record: HostRecord, event: RunFinished, nowMs: number): Partial<HostRecord> {
  const attempts = record.leaveAttempts + 1
  const cause = explain(event)
  const failures = isHostToBlame(record, event)
    ? leaveFailed(record, cause, { attempts, nowMs })
    : specFailed(record, cause, nowMs)
  return { ...endRun(record, event, nowMs), leaveAttempts: attempts, failures }
}
