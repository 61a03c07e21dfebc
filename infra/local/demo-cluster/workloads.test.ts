import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { readyNode, steeredCluster, type SteeredCluster } from '../../../test/support/demo-cluster.ts'
import { recordOf, valueAt } from '../kube-api/json.ts'
import { disruptionBudgetStatus } from './disruption-budget-status.ts'
import { ownerCollector } from './garbage-collector.ts'
import { makeNodeLifecycle } from './node-lifecycle.ts'
import { isStandIn, makePodLifecycle } from './pod-lifecycle.ts'
import { scheduler } from './scheduler.ts'
import { deploymentController, replicaSetController } from './workloads.ts'

const deployments = '/apis/apps/v1/namespaces/default/deployments'
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

describe('workloads', () => {
  let cluster: SteeredCluster
  beforeEach(() => {
    cluster = steeredCluster([
      deploymentController,
      replicaSetController,
      scheduler,
      makeNodeLifecycle({ graceMs: 40_000 }),
      makePodLifecycle(isStandIn),
      disruptionBudgetStatus,
      ownerCollector,
    ])
    cluster.must('POST', '/api/v1/nodes', readyNode('n'))
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'one' }] },
    }
    cluster.must('POST', deployments, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
    })
  })
  const pods = (): readonly string[] =>
    cluster.store.list('/pods', 'default').map(({ metadata }) => metadata.name)
  const status = (): object => recordOf(cluster.must('GET', `${deployments}/web`)['status'])

  it('have as many ready pods as they ask for', async () => {
    await cluster.settle()
    assert.equal(pods().length, 2)
    assert.deepEqual(status(), {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
    })
    cluster.must('PATCH', `${deployments}/web/scale`, { spec: { replicas: 1 } })
    await cluster.settle()
    assert.equal(pods().length, 1)
  })

  it('replace a pod that was evicted', async () => {
    await cluster.settle()
    const [first = ''] = pods()
    cluster.must('POST', `/api/v1/namespaces/default/pods/${first}/eviction`, { metadata: { name: first } })
    await cluster.settle()
    assert.equal(pods().length, 2)
    assert.equal(pods().includes(first), false)
  })

  it('run the present template alone', async () => {
    await cluster.settle()
    const before = pods()
    cluster.must('PATCH', `${deployments}/web`, {
      spec: { template: { spec: { containers: [{ name: 'c', image: 'two' }] } } },
    })
    await cluster.settle()
    assert.equal(pods().length, 2)
    assert.equal(
      pods().some((name) => before.includes(name)),
      false,
    )
  })

  it('go with their pods', async () => {
    await cluster.settle()
    cluster.must('DELETE', `${deployments}/web`)
    await cluster.settle()
    assert.deepEqual(pods(), [])
    assert.deepEqual(cluster.store.list('apps/replicasets'), [])
  })

  it('see in the status of their budget what may be evicted', async () => {
    const spec = { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 }
    cluster.must('POST', budgets, { metadata: { name: 'b' }, spec })
    await cluster.settle()
    assert.deepEqual(valueAt(cluster.must('GET', `${budgets}/b`), ['status']), {
      expectedPods: 2,
      currentHealthy: 2,
      desiredHealthy: 1,
      disruptionsAllowed: 1,
      observedGeneration: 1,
    })
  })
})
