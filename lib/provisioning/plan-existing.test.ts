// Nodes that are there, and those on their way, come first.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aDaemonSet, aNode, aNodeClaim, initializedLabels } from '../../test/support/builders/nodes.ts'
import { aPendingPod, aPodShape, pendingPods } from '../../test/support/builders/pending-pods.ts'
import { aProvisioningSnapshot, someHosts, unplacedCodes } from '../../test/support/builders/provisioning.ts'
import type { Taint } from '../api/taint.ts'
import { planProvisioning, type ProvisioningPlan } from './plan-provisioning.ts'
import type { ProvisioningSnapshot } from './snapshot.ts'

const size = { cpu: '4', memory: '8Gi', pods: '110' }
const custom: Taint = { key: 'custom', effect: 'NoSchedule' }
const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }
const startup: Taint = { key: 'agent', effect: 'NoSchedule' }

function plan(overrides: Partial<ProvisioningSnapshot>): ProvisioningPlan {
  return planProvisioning(
    aProvisioningSnapshot({ pendingPods: [aPendingPod()], hosts: someHosts(3), ...overrides }),
  )
}
/** Where the one pod goes: `new` for a new NodeClaim. */
function target(overrides: Partial<ProvisioningSnapshot>): string | undefined {
  const { nominations, nodeClaims } = plan(overrides)
  return nominations[0]?.target ?? (nodeClaims.length > 0 ? 'new' : undefined)
}
function inFlight(overrides: Parameters<typeof aNodeClaim>[0] = {}) {
  return aNodeClaim({ capacity: size, providerID: 'kpssh://a/b', ...overrides })
}

describe('planProvisioning: NodeClaims on their way', () => {
  it('KS-56: uses one with room', () => {
    assert.equal(target({ nodeClaims: [inFlight()] }), 'nc1')
  })

  it('KS-56: opens another where there is no room or the labels differ', () => {
    assert.equal(
      target({
        nodeClaims: [inFlight()],
        pendingPods: [aPendingPod({ cpu: '4500m' })],
        freeHosts: new Map(),
      }),
      undefined,
    )
    const needs = { nodeSelector: { 'topology.kubernetes.io/zone': 'pool' } }
    assert.equal(target({ nodeClaims: [inFlight()], pendingPods: [aPendingPod({ needs })] }), 'new')
  })

  it('KS-56: does not count one that is being deleted', () => {
    assert.equal(target({ nodeClaims: [inFlight({ deletionTimestamp: '2026-01-01T00:00:00Z' })] }), 'new')
  })

  it('reserves a host for one that has none yet, and counts on its size', () => {
    const waiting = aNodeClaim({ requests: { cpu: '1' } })
    assert.equal(target({ nodeClaims: [waiting] }), 'nc1')
    const placed = plan({
      nodeClaims: [waiting],
      pendingPods: pendingPods(5, { cpu: '3' }),
      freeHosts: new Map([['c', someHosts(2)]]),
    })
    assert.equal(placed.nominations.length, 1)
    assert.equal(placed.nodeClaims.length, 1)
    assert.equal(placed.unplaced.length, 3)
  })

  it('counts on the claimed host where the status says nothing yet', () => {
    const [host] = someHosts(1)
    const placed = plan({
      nodeClaims: [aNodeClaim()],
      claimedHosts: new Map([['uid-nc1', host!]]),
      freeHosts: new Map([['c', []]]),
      pendingPods: pendingPods(2, { cpu: '3' }),
    })
    assert.deepEqual(placed.nominations, [{ podUid: 'uid-pod-0', target: 'nc1' }])
    assert.deepEqual(unplacedCodes(placed), ['pod-1: NoFreeHost'])
  })

  it('KS-187: counts those of a neighbor', () => {
    assert.equal(target({ nodeClaims: [inFlight({ kind: 'EC2NodeClass' })] }), 'nc1')
    assert.equal(target({ nodeClaims: [aNodeClaim({ kind: 'EC2NodeClass' })] }), 'new')
  })

  it('looks past startup taints, not past the others', () => {
    assert.equal(target({ nodeClaims: [inFlight({ startupTaints: [startup] })] }), 'nc1')
    assert.equal(target({ nodeClaims: [inFlight({ taints: [custom] })] }), 'new')
  })
})

describe('planProvisioning: nodes that are there', () => {
  const nodeClaims = [inFlight({ startupTaints: [startup] })]
  const own = (labels: Record<string, string>, more: Parameters<typeof aNode>[0] = {}) =>
    aNode({ providerID: 'kpssh://a/b', labels, ...more })

  it('KS-58: uses a node that is starting, whatever its passing taints', () => {
    const labels = { 'karpenter.sh/registered': 'true' }
    assert.equal(target({ nodeClaims, nodes: [own(labels, { taints: [notReady] })] }), 'n1')
  })

  it('KS-58: KS-60: judges an initialized node by the taints it has', () => {
    assert.equal(target({ nodeClaims, nodes: [own(initializedLabels(), { taints: [notReady] })] }), 'new')
    assert.equal(target({ nodeClaims, nodes: [own(initializedLabels(), { taints: [custom] })] }), 'new')
  })

  it('KS-59: looks past startup taints until the node is initialized', () => {
    const taints = [startup]
    assert.equal(
      target({ nodeClaims, nodes: [own({ 'karpenter.sh/registered': 'true' }, { taints })] }),
      'n1',
    )
    assert.equal(target({ nodeClaims, nodes: [own(initializedLabels(), { taints })] }), 'new')
  })

  it('does not use a cordoned node', () => {
    assert.equal(target({ nodes: [aNode({ unschedulable: true })] }), 'new')
  })

  it('does not use a node that is being deleted, or whose NodeClaim is', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    assert.equal(target({ nodes: [aNode({ deletionTimestamp })] }), 'new')
    assert.equal(
      target({ nodes: [own(initializedLabels())], nodeClaims: [inFlight({ deletionTimestamp })] }),
      'new',
    )
  })

  it('KS-62: prefers initialized nodes', () => {
    const starting = aNodeClaim({ name: 'a', capacity: size, providerID: 'kpssh://a/a' })
    const nodes = [aNode({ name: 'z', providerID: 'kpssh://a/b', labels: initializedLabels() })]
    assert.equal(target({ nodeClaims: [starting, inFlight()], nodes }), 'z')
  })

  it('KS-64: uses a node that nobody made a NodeClaim for', () => {
    assert.equal(target({ nodes: [aNode()] }), 'n1')
  })

  it('KS-65: opens a new one where the labels of the node do not match', () => {
    const needs = { nodeSelector: { 'karpenter.sh/nodepool': 'p' } }
    assert.equal(target({ nodes: [aNode()], pendingPods: [aPendingPod({ needs })] }), 'new')
  })

  it('counts what runs there, but not what has ended', () => {
    const full = { cpu: '3500m', nodes: { n1: 1 } }
    assert.equal(target({ nodes: [aNode()], podShapes: [aPodShape(full)] }), 'new')
    assert.equal(target({ nodes: [aNode()], podShapes: [aPodShape({ ...full, isTerminal: true })] }), 'n1')
    assert.equal(target({ nodes: [aNode()], podShapes: [aPodShape({ cpu: '1', nodes: { n1: 4 } })] }), 'new')
  })

  it('heeds host ports that are taken', () => {
    const needs = { hostPorts: [{ hostIP: '', port: 80, protocol: 'TCP' }] }
    const podShapes = [aPodShape({ needs })]
    assert.equal(target({ nodes: [aNode()], podShapes, pendingPods: [aPendingPod({ needs })] }), 'new')
    assert.equal(target({ nodes: [aNode()], podShapes }), 'n1')
  })

  it('KS-61: keeps room for what is missing of the DaemonSets, not for what runs already', () => {
    const daemonSets = [aDaemonSet({ requests: { cpu: '2', memory: '0' } })]
    const pendingPods = [aPendingPod({ cpu: '3' })]
    const nodes = [aNode()]
    assert.equal(target({ nodes, daemonSets, pendingPods, freeHosts: new Map() }), undefined)
    const podShapes = [aPodShape({ cpu: '500m', memory: '0', ownerKind: 'DaemonSet' })]
    const halfway = { nodes, daemonSets, podShapes, freeHosts: new Map() }
    assert.equal(target({ ...halfway, pendingPods: [aPendingPod({ cpu: '2' })] }), 'n1')
    assert.equal(target({ ...halfway, pendingPods: [aPendingPod({ cpu: '2100m' })] }), undefined)
  })

  it('KS-61: leaves no negative rest where more daemons run than are known', () => {
    const podShapes = [aPodShape({ cpu: '2', ownerKind: 'DaemonSet' })]
    assert.equal(target({ nodes: [aNode()], podShapes, pendingPods: [aPendingPod({ cpu: '2' })] }), 'n1')
  })

  it('KS-65: keeps no room for a DaemonSet that does not select the node', () => {
    const daemonSets = [aDaemonSet({ requests: { cpu: '4' }, spec: { nodeSelector: { a: 'b' } } })]
    assert.equal(target({ nodes: [aNode()], daemonSets }), 'n1')
  })

  it('KS-66: binds nothing: it only names the node', () => {
    assert.deepEqual(plan({ nodes: [aNode()] }).nominations, [{ podUid: 'uid-pod', target: 'n1' }])
  })

  it('KS-67: trusts the NodeClaim for a resource that a fresh node shows as zero', () => {
    const gpu = { ...size, 'nvidia.com/gpu': '1' }
    const fresh = own(
      { 'karpenter.sh/registered': 'true' },
      { allocatable: { ...size, 'nvidia.com/gpu': '0' } },
    )
    const pendingPods = [aPendingPod({ requests: { 'nvidia.com/gpu': '1' } })]
    assert.equal(target({ nodeClaims: [inFlight({ capacity: gpu })], nodes: [fresh], pendingPods }), 'n1')
  })
})
