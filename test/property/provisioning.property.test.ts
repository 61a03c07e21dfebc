import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { NodeClaim } from '../../lib/api/node-claim.ts'
import type { FreeHost } from '../../lib/provisioning/free-host.ts'
import { checkPlan } from '../../lib/provisioning/check-plan.ts'
import { nodeClaimManifest } from '../../lib/provisioning/node-claim-object.ts'
import { planProvisioning, type ProvisioningPlan } from '../../lib/provisioning/plan-provisioning.ts'
import type { ProvisioningSnapshot } from '../../lib/provisioning/snapshot.ts'
import { aFreeHost } from '../support/builders/free-hosts.ts'
import { aDaemonSet, aNode, aNodeClaim } from '../support/builders/nodes.ts'
import { aNodePool } from '../support/builders/node-pools.ts'
import { aPendingPod, aPodShape } from '../support/builders/pending-pods.ts'

const taint = { key: 'only', effect: 'NoSchedule' } as const
const gib = (count: number) => `${count}Gi`
const cpu = fc.integer({ min: 1, max: 8 }).map((count) => `${count * 500}m`)
const memory = fc.integer({ min: 0, max: 8 }).map(gib)
const arch = fc.constantFrom('amd64', 'arm64')

const host = fc.record({
  hostClass: fc.constantFrom('small', 'big'),
  arch,
  cpu: fc.integer({ min: 1, max: 8 }),
  memory: fc.integer({ min: 1, max: 16 }),
  pods: fc.integer({ min: 1, max: 6 }),
})
const wish = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: arch.map((value) => ({ nodeSelector: { 'kubernetes.io/arch': value } })) },
  { weight: 1, arbitrary: fc.constant({ nodeSelector: { 'karpenter.sh/nodepool': 'b' } }) },
  { weight: 1, arbitrary: fc.constant({ tolerations: [{ key: 'only' }] }) },
  { weight: 1, arbitrary: fc.constant({ hostPorts: [{ hostIP: '', port: 80, protocol: 'TCP' }] }) },
)
const pod = fc.record({ cpu, memory, needs: wish })
const limits = fc.option(fc.record({ cpu: fc.integer({ min: 1, max: 20 }).map(String) }), { nil: undefined })

const snapshots: fc.Arbitrary<ProvisioningSnapshot> = fc
  .record({
    hosts: fc.array(host, { maxLength: 7 }),
    sharesHosts: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
    pods: fc.array(pod, { maxLength: 14 }),
    limits,
    waiting: fc.array(cpu, { maxLength: 2 }),
    bound: fc.array(cpu, { maxLength: 3 }),
    daemon: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  })
  .map((drawn) => {
    const hosts = drawn.hosts.map(({ cpu: count, memory: size, pods, ...rest }, index): FreeHost => {
      const capacity = { cpu: `${count}`, memory: gib(size), pods: `${pods}` }
      return aFreeHost({ ...rest, name: `h${index}`, capacity })
    })
    return {
      nodePools: [
        aNodePool({ name: 'a', nodeClass: 'ca', taints: [taint], weight: 5 }),
        aNodePool({ name: 'b', nodeClass: 'cb', ...(drawn.limits ? { limits: drawn.limits } : {}) }),
      ],
      nodeClaims: drawn.waiting.map((amount, index) => {
        const nodeClassRef = { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'cb' }
        const nodeClaim = aNodeClaim({ name: `w${index}`, pool: 'b', requests: { cpu: amount } })
        return { ...nodeClaim, spec: { ...nodeClaim.spec, nodeClassRef } }
      }),
      nodes: [aNode({ name: 'n1', allocatable: { cpu: '4', memory: '8Gi', pods: '6' } })],
      podShapes: drawn.bound.map((amount) => aPodShape({ cpu: amount, memory: '0' })),
      pendingPods: drawn.pods.map((each, index) => aPendingPod({ ...each, name: `pod-${index}` })),
      daemonSets:
        drawn.daemon === undefined ? [] : [aDaemonSet({ requests: { cpu: `${drawn.daemon * 100}m` } })],
      freeHosts: new Map([
        ['ca', hosts.filter((_, index) => drawn.sharesHosts[index])],
        ['cb', hosts],
      ]),
      claimedHosts: new Map(),
    }
  })

/** The cluster right after the plan was carried out: NodeClaims exist, no host is claimed yet. */
function afterwards(snapshot: ProvisioningSnapshot, plan: ProvisioningPlan): ProvisioningSnapshot {
  const made = plan.nodeClaims.map(({ body }, index) => {
    const manifest = nodeClaimManifest(body, `n${String(index).padStart(3, '0')}`) as { metadata: object }
    const stored = { uid: `made-${index}`, resourceVersion: '1', creationTimestamp: '2026-02-01T00:00:00Z' }
    return NodeClaim.parse({ ...manifest, metadata: { ...manifest.metadata, ...stored } })
  })
  return { ...snapshot, nodeClaims: [...snapshot.nodeClaims, ...made] }
}

describe('planProvisioning, whatever the cluster', () => {
  it('exceeds no host, no node, no limit and no number of free hosts, and decides every pod once', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        assert.deepEqual(checkPlan(planProvisioning(snapshot), snapshot), [])
      }),
      { numRuns: 300 },
    )
  })

  it('is the same for the same cluster, listed in any order', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const { nodePools, nodeClaims, pendingPods, podShapes, freeHosts } = snapshot
        const reversed: ProvisioningSnapshot = {
          ...snapshot,
          nodePools: nodePools.toReversed(),
          nodeClaims: nodeClaims.toReversed(),
          pendingPods: pendingPods.toReversed(),
          podShapes: podShapes.toReversed(),
          freeHosts: new Map([...freeHosts].map(([name, hosts]) => [name, hosts.toReversed()])),
        }
        assert.deepEqual(planProvisioning(reversed), planProvisioning(snapshot))
      }),
    )
  })

  it('makes no second NodeClaim for a pod that has one, and sends it there', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        const plan = planProvisioning(snapshot)
        const again = planProvisioning(afterwards(snapshot, plan))
        const placed = new Set(again.nominations.map(({ podUid }) => podUid))
        const planned = plan.nodeClaims.flatMap(({ pods }) => pods)
        assert.deepEqual(
          planned.filter((uid) => !placed.has(uid)),
          [],
        )
      }),
      { numRuns: 300 },
    )
  })

  it('plans nothing more once its plan was carried out', () => {
    fc.assert(
      fc.property(snapshots, (snapshot) => {
        // Under a limit a plan is careful: it counts a NodeClaim as the largest host it may get, and may go on next time.
        const nodePools = snapshot.nodePools.map((pool) => ({
          ...pool,
          spec: { ...pool.spec, limits: undefined },
        }))
        const unlimited = { ...snapshot, nodePools }
        const again = planProvisioning(afterwards(unlimited, planProvisioning(unlimited)))
        assert.deepEqual(again.nodeClaims, [])
      }),
      { numRuns: 300 },
    )
  })
})
