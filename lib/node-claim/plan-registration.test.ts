import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aJoinedHost, t0 } from '../../test/support/builders/hosts.ts'
import { aNode, aNodeClaim, isTrueNow } from '../../test/support/builders/kubernetes.ts'
import {
  aHeldView,
  initialized,
  launched,
  providerID,
  registered,
} from '../../test/support/builders/node-claim-view.ts'
import { planNodeClaim } from './plan-node-claim.ts'

describe('planNodeClaim, registration and initialization', () => {
  const host = aJoinedHost()

  it('KS-117: tells the host which Node it became, then registers the Node, then says so', () => {
    const raw = aNode()
    const labeled = aNode({ metadata: { labels: { 'karpenter.sh/registered': 'true' } } })
    const unmatched = aJoinedHost({ nodeName: undefined, state: 'Claimed' })
    assert.deepEqual(planNodeClaim(aHeldView(launched, { host: unmatched, nodes: [raw] }), t0), {
      kind: 'match-node',
      host: host.key,
      providerID,
      nodeName: 'workers-abcde',
    })
    assert.deepEqual(planNodeClaim(aHeldView(launched, { host, nodes: [raw] }), t0), {
      kind: 'register-node',
      nodeName: 'workers-abcde',
    })
    assert.deepEqual(planNodeClaim(aHeldView(launched, { host, nodes: [labeled] }), t0), {
      kind: 'update',
      status: { nodeName: 'workers-abcde' },
      conditions: [{ type: 'Registered', status: 'True' }],
    })
  })

  it('says that several Nodes carry the providerID, and touches none', () => {
    const nodes = [aNode({ name: 'a' }), aNode({ name: 'b' })]
    const step = planNodeClaim(aHeldView(launched, { host, nodes }), t0)
    assert.deepEqual(step.kind === 'update' && step.conditions[0], {
      type: 'Registered',
      status: 'False',
      reason: 'MultipleNodesFound',
      message: 'several Nodes have the providerID of this NodeClaim: a, b',
    })
  })

  const obstacles = [
    ['NodeNotReady', { status: { conditions: [] } }],
    ['StartupTaintsExist', { spec: { taints: [{ key: 'cni', effect: 'NoSchedule' }] } }],
    [
      'KnownEphemeralTaintsExist',
      { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } },
    ],
    ['KnownEphemeralTaintsExist', { spec: { taints: [{ key: 'readiness.k8s.io/x', effect: 'NoExecute' }] } }],
    [
      'ResourceNotRegistered',
      { spec: { taints: [] }, status: { conditions: [isTrueNow('Ready')], allocatable: { gpu: '0' } } },
    ],
  ] as const
  for (const [reason, parts] of obstacles) {
    it(`KS-120, JOIN-27: is not initialized while ${reason}`, () => {
      const nodeClaim = aNodeClaim({
        spec: {
          startupTaints: [{ key: 'cni', effect: 'NoSchedule' }],
          resources: { requests: { gpu: '1' } },
        },
        status: { providerID, nodeName: 'workers-abcde', conditions: registered },
      })
      const node = aNode({
        ...('spec' in parts ? { spec: { taints: [...(parts.spec.taints ?? [])] } } : {}),
        ...('status' in parts
          ? { status: { ...parts.status, conditions: [...parts.status.conditions] } }
          : {}),
      })
      const step = planNodeClaim(aHeldView([], { nodeClaim, host, nodes: [node] }), t0)
      assert.equal(step.kind === 'update' && step.conditions[0]?.reason, reason)
    })
  }

  it('labels the Node, says Initialized, and is settled', () => {
    const taintless = { spec: { taints: [] } }
    const labels = { 'karpenter.sh/initialized': 'true' }
    const fresh = aHeldView(registered, { host, nodes: [aNode(taintless)] })
    const labeled = aHeldView(registered, { host, nodes: [aNode({ ...taintless, metadata: { labels } })] })
    assert.deepEqual(planNodeClaim(fresh, t0), { kind: 'initialize-node', nodeName: 'workers-abcde' })
    assert.deepEqual(planNodeClaim(labeled, t0), {
      kind: 'update',
      conditions: [{ type: 'Initialized', status: 'True' }],
    })
    const done = aHeldView(initialized, { host, nodes: [aNode({ status: { conditions: [] } })] })
    assert.deepEqual(planNodeClaim(done, t0), { kind: 'wait', why: 'settled' })
  })
})
