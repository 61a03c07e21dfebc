import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { t0 } from '../../test/support/builders/hosts.ts'
import { aNodeClaim, aNodeClass, aNodePool } from '../../test/support/builders/kubernetes.ts'
import { isConditionTrue } from '../api/condition.ts'
import { NodePool } from '../api/node-pool.ts'
import type { ClassVerdict } from './judge-class.ts'
import { planPoolStatus } from './judge-pool.ts'

const ready: ClassVerdict = { status: 'True', reason: 'Ready', message: '' }
const noHosts: ClassVerdict = {
  status: 'False',
  reason: 'NoHosts',
  message: 'No SSHHost matches hostSelector',
}

function judged(pool: NodePool, verdict: ClassVerdict | undefined, object = aNodeClass()): NodePool {
  const nodeClass = verdict && { object, verdict }
  const status = planPoolStatus(pool, nodeClass, { nodeClaims: [], nowMs: t0 })
  return NodePool.parse({ ...pool, status })
}

function isReady(pool: NodePool): boolean {
  return isConditionTrue(pool.status?.conditions, 'Ready')
}

function reasonOf(pool: NodePool, type: string): string | undefined {
  return pool.status?.conditions?.find((condition) => condition.type === type)?.reason
}

describe('planPoolStatus', () => {
  it('KS-127: is Ready with a Ready class, and mirrors the reason of one that is not', () => {
    assert.equal(isReady(judged(aNodePool(), ready)), true)
    const pool = judged(aNodePool(), noHosts)
    assert.deepEqual([isReady(pool), reasonOf(pool, 'NodeClassReady')], [false, 'NoHosts'])
  })

  it('KS-127: says that the class is missing, or being deleted', () => {
    assert.equal(reasonOf(judged(aNodePool(), undefined), 'NodeClassReady'), 'NodeClassNotFound')
    const going = aNodeClass({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    assert.equal(reasonOf(judged(aNodePool(), ready, going), 'NodeClassReady'), 'NodeClassTerminating')
  })

  it('KS-128: refuses a capacity type that nobody knows, accepts a mix', () => {
    const withTypes = (...values: readonly string[]) => {
      const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: [...values] }]
      const pool = aNodePool()
      const spec = { ...pool.spec.template.spec, requirements }
      return judged({ ...pool, spec: { ...pool.spec, template: { spec } } }, ready)
    }
    assert.equal(reasonOf(withTypes('cheap'), 'ValidationSucceeded'), 'NodePoolValidationFailed')
    assert.equal(isReady(withTypes('cheap', 'on-demand')), true)
  })

  it('refuses loudly what it does not do', () => {
    assert.equal(isReady(judged(aNodePool({ spec: { replicas: 3 } }), ready)), false)
  })

  it('KS-130: counts the NodeClaims that are not being deleted, and their capacity', () => {
    const labels = { 'karpenter.sh/nodepool': 'workers' }
    const status = { capacity: { cpu: '4', memory: '8Gi' } }
    const nodeClaims = [
      aNodeClaim({ name: 'a', metadata: { labels }, status }),
      aNodeClaim({ name: 'b', metadata: { labels }, status }),
      aNodeClaim({ name: 'c', metadata: { labels, deletionTimestamp: '2026-01-01T00:00:00Z' }, status }),
      aNodeClaim({ name: 'd', metadata: { labels: { 'karpenter.sh/nodepool': 'other' } }, status }),
    ]
    const plan = planPoolStatus(
      aNodePool(),
      { object: aNodeClass(), verdict: ready },
      { nodeClaims, nowMs: t0 },
    )
    const pool = NodePool.parse({ ...aNodePool(), status: plan })
    assert.equal(pool.status?.nodes, 2)
    assert.deepEqual(pool.status.resources, {
      cpu: '8',
      memory: '16Gi',
      pods: '0',
      'ephemeral-storage': '0',
      nodes: '2',
    })
  })

  it('writes nothing when the status says so already', () => {
    const pool = judged(aNodePool(), ready)
    const nodeClass = { object: aNodeClass(), verdict: ready }
    assert.equal(planPoolStatus(pool, nodeClass, { nodeClaims: [], nowMs: t0 + 60_000 }), undefined)
  })
})
