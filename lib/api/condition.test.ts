import assert from 'node:assert/strict'
import { Condition } from './object-meta.ts'
import { describe, it } from 'node:test'
import {
  getCondition,
  nodeClaimConditions,
  nodeClassConditions,
  withCondition,
  withInitialConditions,
  withoutCondition,
  type Conditions,
} from './condition.ts'

const object = { generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' }
const nowMs = Date.parse('2026-01-01T00:01:00Z')
const context = { set: nodeClaimConditions, object, nowMs }

function facts(conditions: Conditions): string[] {
  return conditions.map(({ type, status, reason }) => `${type}=${status}/${reason ?? ''}`)
}

describe('conditions', () => {
  it('start Unknown, awaiting reconciliation since the object was created', () => {
    const conditions = withInitialConditions([], context)
    assert.deepEqual(facts(conditions), [
      'Launched=Unknown/AwaitingReconciliation',
      'Registered=Unknown/AwaitingReconciliation',
      'Initialized=Unknown/AwaitingReconciliation',
      'Ready=Unknown/ReconcilingDependents',
    ])
    assert.deepEqual(getCondition(conditions, 'Launched'), {
      type: 'Launched',
      status: 'Unknown',
      reason: 'AwaitingReconciliation',
      message: 'object is awaiting reconciliation',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 1,
    })
  })

  it('say no more than a status may hold', () => {
    const change = { type: 'Ready', status: 'True', message: 'x'.repeat(1_000_000) } as const
    const [condition] = withCondition([], change, { ...context, set: nodeClassConditions })
    assert.equal(condition?.message?.length, 4096)
  })

  it('name the type as reason when True, with an empty message', () => {
    const conditions = withCondition([], { type: 'Launched', status: 'True' }, context)
    assert.equal(getCondition(conditions, 'Launched')?.reason, 'Launched')
    assert.equal(getCondition(conditions, 'Launched')?.message, '')
  })

  it('keep lastTransitionTime while the status stays, whatever the reason', () => {
    const first = withInitialConditions([], context)
    const waiting = { type: 'Registered', status: 'Unknown', reason: 'NodeNotFound', message: 'm' } as const
    const second = withCondition(first, waiting, context)
    assert.equal(getCondition(second, 'Registered')?.lastTransitionTime, '2026-01-01T00:00:00Z')
    const third = withCondition(second, { type: 'Registered', status: 'True' }, context)
    assert.equal(getCondition(third, 'Registered')?.lastTransitionTime, '2026-01-01T00:01:00Z')
  })

  it('make the root False as soon as one dependent is, listing what is unhealthy', () => {
    const broken = {
      type: 'Registered',
      status: 'False',
      reason: 'MultipleNodesFound',
      message: 'm',
    } as const
    const conditions = withCondition(withInitialConditions([], context), broken, context)
    const ready = getCondition(conditions, 'Ready')
    assert.equal(ready?.status, 'False')
    assert.equal(ready.reason, 'UnhealthyDependents')
    assert.equal(ready.message, 'Launched=Unknown, Registered=False, Initialized=Unknown')
  })

  it('make the root True when every dependent is, and put it last', () => {
    const all = ['Launched', 'Registered', 'Initialized'].reduce<Conditions>(
      (conditions, type) => withCondition(conditions, { type, status: 'True' }, context),
      withInitialConditions([], context),
    )
    assert.equal(all.at(-1)?.type, 'Ready')
    assert.equal(all.at(-1)?.status, 'True')
    assert.equal(all.at(-1)?.reason, 'Ready')
  })

  it('take a True of an older generation for not known', () => {
    const all = ['Launched', 'Registered', 'Initialized'].reduce<Conditions>(
      (conditions, type) => withCondition(conditions, { type, status: 'True' }, context),
      [],
    )
    const next = { ...context, object: { ...object, generation: 2 } }
    const launched = withCondition(all, { type: 'Launched', status: 'True' }, next)
    assert.equal(getCondition(launched, 'Ready')?.status, 'Unknown')
    assert.equal(getCondition(launched, 'Ready')?.message, 'Registered=True, Initialized=True')
  })

  it('return the same array when nothing changes, so that no write is made', () => {
    const first = withCondition(
      [],
      { type: 'Ready', status: 'True' },
      { ...context, set: nodeClassConditions },
    )
    const again = withCondition(
      first,
      { type: 'Ready', status: 'True' },
      { set: nodeClassConditions, object, nowMs: nowMs + 60_000 },
    )
    assert.equal(again, first)
  })

  it('are removed when an independent one holds no more', () => {
    const conditions = withCondition([], { type: 'Consolidatable', status: 'True' }, context)
    assert.equal(getCondition(withoutCondition(conditions, 'Consolidatable'), 'Consolidatable'), undefined)
    assert.equal(withoutCondition(conditions, 'Drifted'), conditions)
  })
})

describe('Condition', () => {
  it('can be read without a time, which API servers store as null', () => {
    const read = Condition.parse({ type: 'Ready', status: 'True', lastTransitionTime: null })
    assert.equal(read.lastTransitionTime, undefined)
  })
})
