import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, aJoinedHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import { decideFollowUps } from './decide-follow-up.ts'

const failure = { phase: 'join', reason: 'JoinFailed', message: 'm', blamesHost: true }
const failures = { count: 1, lastReason: 'LeaveFailed', lastMessage: 'exited with code 1', notBeforeMs: t0 }
const leave = aRunPhase({ phase: 'leave' })

describe('decideFollowUps', () => {
  it('asks for join right after an install that succeeded', () => {
    const lastRun = { id: 'run-1', phase: 'install', result: 'succeeded', endedAtMs: t0 } as const
    assert.deepEqual(decideFollowUps(aClaimedHost({ lastRun }), aRunPhase({ phase: 'install' })), [
      { kind: 'request', phase: 'join', reason: 'Installed', delayMs: 0 },
    ])
  })

  it('has nothing left to do after a join that succeeded: the Node is awaited elsewhere', () => {
    assert.deepEqual(decideFollowUps(aJoinedHost(), aRunPhase()), [])
  })

  it('POOL-06: after a failed join the token goes and leave runs before the claim is given up', () => {
    const host = aClaimedHost({ claim: aClaim({ failure }), leavePending: true, tokenIDs: ['abcdef'] })
    assert.deepEqual(decideFollowUps(host, aRunPhase()), [
      { kind: 'collect-tokens' },
      { kind: 'request', phase: 'leave', reason: 'JoinFailed', delayMs: 0 },
    ])
  })

  it('EKS-12: deletes the Node only after leave succeeded, and releases last', () => {
    const host = aClaimedHost({ claim: aClaim({ joinedAtMs: t0, leftAtMs: t0 }) })
    assert.deepEqual(decideFollowUps(host, leave), [
      { kind: 'remove-node' },
      { kind: 'collect-tokens' },
      { kind: 'release', isClean: true },
    ])
  })

  it('tries a failed leave again, each time later', () => {
    const delays = [1, 2].map((leaveAttempts) => decideFollowUps(aJoinedHost({ leaveAttempts }), leave))
    assert.deepEqual(delays, [
      [{ kind: 'request', phase: 'leave', reason: 'Retry', delayMs: 30_000 }],
      [{ kind: 'request', phase: 'leave', reason: 'Retry', delayMs: 60_000 }],
    ])
  })

  it('POOL-09: after three failed leaves deletes the Node and releases the host as not clean', () => {
    assert.deepEqual(decideFollowUps(aJoinedHost({ leaveAttempts: 3, failures }), leave), [
      { kind: 'remove-node' },
      { kind: 'collect-tokens' },
      { kind: 'release', isClean: false, reason: 'LeaveFailed', message: 'exited with code 1' },
    ])
  })

  it('SSH-01: releases a host whose key changed without asking anything of it', () => {
    const quarantine = { reason: 'HostKeyChanged', message: 'pinned A, it shows B' }
    assert.deepEqual(decideFollowUps(aJoinedHost({ quarantine }), leave), [
      { kind: 'remove-node' },
      { kind: 'collect-tokens' },
      { kind: 'release', isClean: false, ...quarantine },
    ])
    assert.deepEqual(decideFollowUps(aClaimedHost({ quarantine }), aRunPhase({ phase: 'install' })), [
      { kind: 'release', isClean: false, ...quarantine },
    ])
  })

  it('leaves Nodes to the function of leave, and tokens to those that know of them', () => {
    const left = aClaimedHost({ claim: aClaim({ joinedAtMs: t0, leftAtMs: t0 }) })
    const failed = aClaimedHost({ claim: aClaim({ failure }), leavePending: true })
    const askLeave = { kind: 'request', phase: 'leave', delayMs: 0 } as const
    for (const phase of ['install', 'join'] as const) {
      assert.deepEqual(decideFollowUps(left, aRunPhase({ phase })), [{ ...askLeave, reason: 'Release' }])
    }
    assert.deepEqual(decideFollowUps(failed, aRunPhase({ phase: 'install' })), [
      { ...askLeave, reason: 'JoinFailed' },
    ])
    assert.deepEqual(decideFollowUps(aHost(), aRunPhase({ phase: 'install' })), [])
  })

  it('looks for no Node where nothing was joined', () => {
    assert.deepEqual(decideFollowUps(aClaimedHost(), leave), [
      { kind: 'collect-tokens' },
      { kind: 'release', isClean: true },
    ])
  })

  it('collects the tokens of a claim that the table already ended', () => {
    assert.deepEqual(decideFollowUps(aHost(), aRunPhase()), [{ kind: 'collect-tokens' }])
  })

  it('does nothing to a host that another claim holds, or on which something runs', () => {
    const other = aClaimedHost({ claim: aClaim({ uid: 'uid-2' }) })
    assert.deepEqual(decideFollowUps(other, leave), [])
    assert.deepEqual(decideFollowUps(aClaimedHost({ run: aRun() }), leave), [])
  })

  it('deletes the Node of a zombie that has left, and keeps that of one that has not', () => {
    const message = aRunPhase({ phase: 'leave', nodeClaim: undefined })
    assert.deepEqual(decideFollowUps(aHost(), message), [{ kind: 'remove-node' }, { kind: 'collect-tokens' }])
    assert.deepEqual(decideFollowUps(aHost({ leavePending: true, state: 'Unhealthy' }), message), [])
  })
})
