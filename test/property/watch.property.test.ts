import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '../../lib/api/pod.ts'
import { podNeedsOf } from '../../lib/api/pod-needs.ts'
import { makePodTable } from '../../lib/watch/pod-table.ts'
import { aPod } from '../support/builders/kubernetes.ts'

const labelSets = [{}, { app: 'a' }, { app: 'b' }, { app: 'a', pod: '1' }, { app: 'a', pod: '2' }]
const interest = new Set(['app'])

const somePod = fc
  .record({
    uid: fc.constantFrom('1', '2', '3', '4', '5', '6'),
    node: fc.constantFrom('', 'n1', 'n2'),
    labels: fc.constantFrom(...labelSets),
    cpu: fc.constantFrom('1', '2'),
    isUnschedulable: fc.boolean(),
  })
  .map(({ uid, node, labels, cpu, isUnschedulable }): readonly [string, Pod] => {
    const conditions = isUnschedulable
      ? [{ type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }]
      : []
    const containers = [{ name: 'main', resources: { requests: { cpu } } }]
    return [
      uid,
      aPod({
        name: `p${uid}`,
        metadata: { uid, labels },
        spec: { nodeName: node, containers },
        status: { conditions },
      }),
    ]
  })

type Step =
  | { readonly put: readonly [string, Pod] }
  | { readonly remove: string }
  | { readonly retain: readonly string[] }
const someSteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: somePod.map((put) => ({ put })) },
    { weight: 2, arbitrary: fc.constantFrom('1', '2', '3').map((remove) => ({ remove })) },
    { weight: 1, arbitrary: fc.subarray(['1', '2', '3', '4']).map((retain) => ({ retain })) },
  ),
  { maxLength: 40 },
)

/** The same by the slow way: a map of pods, read as a whole. */
function applyTo(model: Map<string, Pod>, step: Step): void {
  if ('put' in step) model.set(...step.put)
  else if ('remove' in step) model.delete(step.remove)
  else for (const uid of [...model.keys()]) if (!step.retain.includes(uid)) model.delete(uid)
}

function countsOf(model: ReadonlyMap<string, Pod>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const pod of model.values()) {
    if (pod.spec.nodeName === '') continue
    const app = pod.metadata.labels?.['app'] ?? '-'
    const key = `${app} ${podNeedsOf(pod).requests['cpu']} ${pod.spec.nodeName}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

function pendingIn(model: ReadonlyMap<string, Pod>): readonly string[] {
  return [...model.values()]
    .filter(({ spec, status }) => spec.nodeName === '' && (status?.conditions?.length ?? 0) > 0)
    .map(({ metadata }) => metadata.uid)
    .toSorted()
}

describe('the table of pods, whatever happens to pods', () => {
  it('counts as if each pod were kept by itself, and keeps nothing of what is gone', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        const table = makePodTable()
        const model = new Map<string, Pod>()
        for (const step of steps) {
          if ('put' in step) table.put(...step.put)
          else if ('remove' in step) table.remove(step.remove)
          else table.retain(new Set(step.retain))
          applyTo(model, step)
        }
        const counts: Record<string, number> = {}
        for (const { labels, needs, nodes } of table.shapes(interest)) {
          for (const [node, count] of Object.entries(nodes))
            counts[`${labels['app'] ?? '-'} ${needs.requests['cpu']} ${node}`] = count
        }
        assert.deepEqual(counts, countsOf(model))
        assert.deepEqual(
          table
            .pending(interest)
            .map(({ uid }) => uid)
            .toSorted(),
          pendingIn(model),
        )
        table.retain(new Set())
        assert.deepEqual([table.size, [...table.needs()].length], [0, 0])
      }),
      { numRuns: 500 },
    )
  })

  it('says that nothing changed only if nothing that is told did', () => {
    fc.assert(
      fc.property(someSteps, somePod, (steps, put) => {
        const table = makePodTable()
        for (const step of steps) if ('put' in step) table.put(...step.put)
        const before = JSON.stringify([table.shapes(interest), table.pending(interest)])
        const hasChanged = table.put(...put)
        const after = JSON.stringify([table.shapes(interest), table.pending(interest)])
        assert.ok(hasChanged || before === after)
      }),
      { numRuns: 500 },
    )
  })
})
