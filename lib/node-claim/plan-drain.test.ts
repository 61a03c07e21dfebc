import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { t0 } from '../../test/support/builders/hosts.ts'
import { aPod, meta } from '../../test/support/builders/kubernetes.ts'
import type { Pod } from '../api/pod.ts'
import { planDrain } from './plan-drain.ts'

const controlledBy = (kind: string, metadata: Partial<Pod['metadata']> = {}) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'owner', uid: 'owner-uid' }],
  ...metadata,
})
const terminatingSince = (seconds: number) => ({
  deletionTimestamp: new Date(t0 - seconds * 1000).toISOString(),
})

function names(pods: readonly Pod[]): readonly string[] {
  return pods.map((pod) => pod.metadata.name)
}

describe('planDrain', () => {
  it('is drained when there is nothing on the Node', () => {
    assert.deepEqual(planDrain([], t0, undefined), { isDrained: true, evict: [], force: [] })
  })

  it('KS-138: evicts a bare pod, ignores terminal and mirror pods', () => {
    const pods = [
      aPod({ name: 'bare' }),
      aPod({ name: 'done', status: { phase: 'Succeeded' } }),
      aPod({ name: 'mirror', metadata: controlledBy('Node') }),
    ]
    const plan = planDrain(pods, t0, undefined)
    assert.deepEqual([plan.isDrained, names(plan.evict)], [false, ['bare']])
    assert.equal(planDrain(pods.slice(1), t0, undefined).isDrained, true)
  })

  it('KS-137: a pod that tolerates the disrupted taint is not evicted and not waited for', () => {
    const tolerant = (toleration: object) => aPod({ spec: { tolerations: [toleration] } })
    assert.equal(planDrain([tolerant({ operator: 'Exists' })], t0, undefined).isDrained, true)
    assert.equal(planDrain([tolerant({ key: 'karpenter.sh/disrupted' })], t0, undefined).isDrained, true)
    const unschedulable = tolerant({ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' })
    assert.equal(planDrain([unschedulable], t0, undefined).evict.length, 1)
  })

  it('KS-140: starts a tier only when the one before it is gone, terminating pods included', () => {
    const app = aPod({ name: 'app' })
    const daemon = aPod({ name: 'daemon', metadata: controlledBy('DaemonSet') })
    const critical = aPod({ name: 'critical', spec: { priorityClassName: 'system-node-critical' } })
    const agent = aPod({
      name: 'agent',
      metadata: controlledBy('DaemonSet'),
      spec: { priorityClassName: 'system-cluster-critical' },
    })
    const evictedOf = (...pods: readonly Pod[]) => names(planDrain(pods, t0, undefined).evict)
    assert.deepEqual(evictedOf(agent, critical, daemon, app), ['app'])
    assert.deepEqual(evictedOf(agent, critical, daemon), ['daemon'])
    assert.deepEqual(evictedOf(agent, critical), ['critical'])
    assert.deepEqual(evictedOf(agent), ['agent'])
    const going = aPod({ name: 'app', metadata: meta('app', terminatingSince(-30)) })
    assert.deepEqual(evictedOf(daemon, going), [])
  })

  it('KS-141: waits until a terminating pod is really gone', () => {
    const going = aPod({ metadata: terminatingSince(-30) })
    assert.deepEqual(planDrain([going], t0, undefined), { isDrained: false, evict: [], force: [] })
  })

  it('KS-141, JOIN-25: does not wait for a pod stuck for more than a minute beyond its deadline', () => {
    assert.equal(planDrain([aPod({ metadata: terminatingSince(60) })], t0, undefined).isDrained, false)
    assert.equal(planDrain([aPod({ metadata: terminatingSince(61) })], t0, undefined).isDrained, true)
  })

  it('waits for a do-not-disrupt pod without evicting it, as long as a duration says', () => {
    const annotated = (value: string) =>
      aPod({
        metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } },
        status: { phase: 'Running', startTime: new Date(t0 - 600_000).toISOString() },
      })
    const evictedWith = (value: string) => planDrain([annotated(value)], t0, undefined).evict.length
    assert.deepEqual(
      [evictedWith('true'), evictedWith('11m'), evictedWith('9m'), evictedWith('soon')],
      [0, 0, 1, 1],
    )
    assert.equal(planDrain([annotated('true')], t0, undefined).isDrained, false)
  })

  it('KS-143: forces a pod once its own grace period no longer fits before the deadline', () => {
    const pod = aPod({
      metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      spec: { terminationGracePeriodSeconds: 60 },
    })
    const forcedWith = (secondsLeft: number) => planDrain([pod], t0, t0 + secondsLeft * 1000).force
    assert.deepEqual(forcedWith(90), [])
    assert.deepEqual(forcedWith(59), [{ pod, gracePeriodSeconds: 59 }])
    assert.deepEqual(forcedWith(-10), [{ pod, gracePeriodSeconds: 1 }])
  })

  it('KS-143: shortens the grace of a pod that would terminate after the deadline', () => {
    const pod = aPod({ metadata: terminatingSince(-6000) })
    assert.deepEqual(planDrain([pod], t0, t0 + 210_000).force, [{ pod, gracePeriodSeconds: 210 }])
  })

  it('KS-144: forces a critical pod past its deadline although an earlier tier is still there', () => {
    const critical = aPod({ name: 'critical', spec: { priorityClassName: 'system-node-critical' } })
    const plan = planDrain([aPod({ metadata: terminatingSince(-5) }), critical], t0, t0)
    assert.deepEqual(names(plan.force.map(({ pod }) => pod)), ['web-1', 'critical'])
  })
})
