import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { aRun, t0 } from '../../test/support/builders/hosts.ts'
import { fakeClock } from '../../test/support/fakes/clock.ts'
import { fakeLog } from '../../test/support/fakes/log.ts'
import {
  hasTriesLeft,
  leaseMs,
  longestAttachedMs,
  maxInterruptedInstalls,
  maxLeaveAttempts,
  minTokenMs,
  sliceMs,
  tokenMarginMs,
  watchedInTurns,
  watchedUntilMs,
} from './budgets.ts'
import { maxAsks } from './decide-probe.ts'

const endless = { clock: fakeClock(t0), log: fakeLog(), deadlineAtMs: Infinity }
const page = readFileSync(new URL('../../docs/phases.md', import.meta.url), 'utf8')

function budget(what: string): number {
  const line = page.split('\n').find((text) => text.startsWith(`| ${what} |`))
  const amount = line?.split('|')[2]?.trim() ?? ''
  return amount.endsWith(' s') ? Number.parseInt(amount) * 1000 : Number.parseInt(amount)
}
function tries(phase: 'install' | 'join' | 'leave'): number {
  return [1, 2, 3, 4, 5, 6].find((attempt) => !hasTriesLeft(phase, attempt)) ?? Number.NaN
}

describe('docs/phases.md', () => {
  it('says the budgets that the code keeps', () => {
    assert.equal(budget('one wait on the host'), sliceMs)
    assert.equal(budget('lease of a watcher'), leaseMs)
    assert.equal(budget('one turn of watching'), watchedInTurns(endless).deadlineAtMs - t0)
    assert.equal(budget('a script that ends with its connection'), longestAttachedMs)
    const beyond = watchedUntilMs(aRun({ startedAtMs: t0, timeoutMs: 1000 })) - t0 - 1000
    assert.equal(budget('asked for the end of a run, beyond its own timeout'), beyond)
    assert.equal(budget('tries to reach a host for `install` or `join`'), tries('install'))
    assert.equal(tries('join'), tries('install'))
    assert.equal(budget('tries to reach a host for one attempt of `leave`'), tries('leave'))
    assert.equal(budget('attempts of `leave` under one claim'), maxLeaveAttempts)
    assert.equal(budget('installs that reboots cut off'), maxInterruptedInstalls)
    assert.equal(budget('shortest life of a token'), minTokenMs)
    assert.equal(budget('life of a token beyond the timeout of `join`'), tokenMarginMs)
    assert.equal(budget('asks before a silent host is `Unhealthy`'), maxAsks)
  })
})
