import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { t0 } from '../../test/support/builders/hosts.ts'
import { aNodeClaim, isTrueNow } from '../../test/support/builders/kubernetes.ts'
import type { PodShape } from '../messages/cluster-observed.ts'
import { planPodNote } from './note-pods.ts'

function aShape(overrides: Partial<PodShape> = {}): PodShape {
  return {
    namespace: 'default',
    labels: {},
    needs: {
      requests: { cpu: '1' },
      nodeSelector: {},
      tolerations: [],
      hostPorts: [],
      topologySpreadConstraints: [],
    },
    ownerKind: 'ReplicaSet',
    isTerminal: false,
    isTerminating: false,
    isReady: true,
    priority: 0,
    deletionCost: 0,
    nodes: { 'workers-abcde': 1 },
    ...overrides,
  }
}

function claimWith(podDigest: string | undefined, lastPodEventTime?: string) {
  return aNodeClaim({
    metadata:
      podDigest === undefined ? {} : { annotations: { 'karpenter.dklesev.github.io/pod-digest': podDigest } },
    status: {
      nodeName: 'workers-abcde',
      conditions: [isTrueNow('Launched'), isTrueNow('Registered')],
      ...(lastPodEventTime === undefined ? {} : { lastPodEventTime }),
    },
  })
}

describe('planPodNote', () => {
  const noted = planPodNote(claimWith(undefined), [aShape()], t0)

  it('KS-125: notes the time when a pod came', () => {
    assert.equal(noted?.lastPodEventTime, '2026-01-01T00:00:00Z')
  })

  it('notes nothing while the same pods are there, whether they are ready or not', () => {
    const nodeClaim = claimWith(noted?.digest)
    assert.equal(planPodNote(nodeClaim, [aShape()], t0), undefined)
    assert.equal(planPodNote(nodeClaim, [aShape({ isReady: false })], t0), undefined)
  })

  it('notes a pod that starts to terminate, and the last one that went', () => {
    const nodeClaim = claimWith(noted?.digest)
    assert.notEqual(planPodNote(nodeClaim, [aShape({ isTerminating: true })], t0), undefined)
    assert.equal(planPodNote(nodeClaim, [], t0)?.digest, '')
  })

  it('KS-125: does not write again within ten seconds', () => {
    const nodeClaim = claimWith(noted?.digest, '2026-01-01T00:00:00Z')
    assert.equal(planPodNote(nodeClaim, [], t0 + 9_999), undefined)
    assert.notEqual(planPodNote(nodeClaim, [], t0 + 10_000), undefined)
  })

  it('does not count daemons, mirror pods and pods of other Nodes', () => {
    const shapes = [
      aShape({ ownerKind: 'DaemonSet' }),
      aShape({ ownerKind: 'Node' }),
      aShape({ nodes: { other: 1 } }),
    ]
    assert.equal(planPodNote(claimWith(undefined), shapes, t0), undefined)
  })
})
