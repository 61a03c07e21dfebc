import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  aClaim,
  aClaimedHost,
  aHost,
  aHostKey,
  aJoinedHost,
  aRun,
  t0,
} from '../../test/support/builders/hosts.ts'
import { defaultGuardSettings } from './guard-settings.ts'
import { planGuard, type GuardAction } from './plan-guard.ts'

function actions(...records: Parameters<typeof planGuard>[0]): readonly GuardAction[] {
  return planGuard(records, t0, defaultGuardSettings).actions
}

function probes(all: readonly GuardAction[]): readonly (readonly string[])[] {
  return all.flatMap((action) => (action.kind === 'probe' ? [action.hosts.map(({ name }) => name)] : []))
}

const fresh = { probedAtMs: t0 }

describe('planGuard', () => {
  it('plans nothing for hosts that need nothing', () => {
    assert.deepEqual(planGuard([aHost(fresh)], t0, defaultGuardSettings), {
      examined: 1,
      waiting: 0,
      actions: [],
    })
  })

  it('POOL-07: plans one leave for each of many hosts', () => {
    const records = Array.from({ length: 10 }, (_, index) =>
      aHost({ ...fresh, name: `h${index}`, state: 'Unhealthy', leavePending: true }),
    )
    const planned = actions(...records)
    assert.deepEqual(
      planned.map((action) => (action.kind === 'leave' ? action.record.key.name : action.kind)),
      ['h0', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8', 'h9'],
    )
  })

  it('asks for looks in messages of 25 hosts', () => {
    const records = Array.from({ length: 60 }, (_, index) => aHost({ name: `h${index}` }))
    assert.deepEqual(
      probes(actions(...records)).map((hosts) => hosts.length),
      [25, 25, 10],
    )
  })

  it('POOL-12: keeps hosts that did not answer apart from those that did', () => {
    const planned = actions(
      aHost({ name: 'a' }),
      aHost({ name: 'dead', probeError: 'x' }),
      aHost({ name: 'b' }),
    )
    assert.deepEqual(probes(planned), [['a', 'b'], ['dead']])
  })

  it('never mixes pools or clusters in one message', () => {
    const other = aHost({ key: { ...aHostKey('c'), pool: 'shared' } })
    const planned = actions(aHost({ name: 'a' }), aHost({ name: 'b', cluster: 'east' }), other)
    assert.deepEqual(probes(planned), [['a'], ['b'], ['c']])
    assert.deepEqual(
      planned.map((action) => action.kind === 'probe' && action.cluster),
      ['lab', 'east', 'lab'],
    )
  })

  it('checks the claims of each cluster together, by the cluster that holds them', () => {
    const east = aClaim({ cluster: 'east' })
    const planned = actions(aJoinedHost(), aJoinedHost({ key: aHostKey('h2'), claim: east }), aClaimedHost())
    assert.deepEqual(
      planned.map((action) =>
        action.kind === 'check-claims' ? [action.cluster, action.records.length] : [],
      ),
      [
        ['lab', 2],
        ['east', 1],
      ],
    )
  })

  it('resumes a run, and does nothing else about its host', () => {
    const run = aRun({ phase: 'leave', leaseUntilMs: t0 - 3_600_000 })
    const planned = actions(aHost({ state: 'Leaving', leavePending: true, run }))
    assert.deepEqual(
      planned.map(({ kind }) => kind),
      ['resume-run'],
    )
  })

  it('counts the hosts that owe a leave and have to wait', () => {
    const parked = aHost({ ...fresh, state: 'Maintenance', maintenance: true, leavePending: true })
    assert.equal(planGuard([parked], t0, defaultGuardSettings).waiting, 1)
  })
})
