// Merge patches for Nodes, made from a fresh read and conditional on its resourceVersion, since a merge patch replaces
// whole lists.
import { finalizers, karpenterApiVersion, labels, taints } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import { isSameTaint, type Taint } from '../api/taint.ts'

export function registrationPatch(node: Node, nodeClaim: NodeClaim): object {
  const { metadata } = node
  const owner = {
    apiVersion: karpenterApiVersion,
    kind: 'NodeClaim',
    name: nodeClaim.metadata.name,
    uid: nodeClaim.metadata.uid,
    blockOwnerDeletion: true,
  }
  const owners = metadata.ownerReferences ?? []
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      labels: { ...nodeClaim.metadata.labels, [labels.registered]: 'true' },
      annotations: { ...nodeClaim.metadata.annotations },
      finalizers: [...new Set([...(metadata.finalizers ?? []), finalizers.termination])],
      ownerReferences: owners.some((each) => each.uid === owner.uid) ? owners : [...owners, owner],
    },
    spec: { taints: registeredTaints(node, nodeClaim) },
  }
}

function registeredTaints(node: Node, nodeClaim: NodeClaim): readonly Taint[] {
  const present = (node.spec?.taints ?? []).filter((taint) => !isSameTaint(taint, taints.unregistered))
  if (node.metadata.labels?.[labels.doNotSyncTaints] === 'true') return present
  const claimed = [...(nodeClaim.spec.taints ?? []), ...(nodeClaim.spec.startupTaints ?? [])]
  return [...present, ...claimed.filter((taint) => !present.some((each) => isSameTaint(each, taint)))]
}

/** Whether the kubelet registered with the taint that keeps pods away until registration. */
export function lacksUnregisteredTaint(node: Node): boolean {
  return !(node.spec?.taints ?? []).some((taint) => isSameTaint(taint, taints.unregistered))
}

export function initializationPatch(): object {
  return { metadata: { labels: { [labels.initialized]: 'true' } } }
}

/** undefined when the Node already says so. */
export function disruptionPatch(node: Node): object | undefined {
  const present = node.spec?.taints ?? []
  const isTainted = present.some((taint) => isSameTaint(taint, taints.disrupted))
  if (isTainted && node.metadata.labels?.[labels.excludeFromLoadBalancers] !== undefined) return undefined
  return {
    metadata: {
      resourceVersion: node.metadata.resourceVersion,
      labels: { [labels.excludeFromLoadBalancers]: 'karpenter' },
    },
    spec: { taints: isTainted ? present : [...present, taints.disrupted] },
  }
}

/** Takes back what disruptionPatch did. */
export function taintRemovalPatch(node: Node): object {
  return {
    metadata: {
      resourceVersion: node.metadata.resourceVersion,
      labels: { [labels.excludeFromLoadBalancers]: null },
    },
    spec: { taints: (node.spec?.taints ?? []).filter((taint) => !isSameTaint(taint, taints.disrupted)) },
  }
}

export function finalizerRemovalPatch(object: Pick<Node, 'metadata'>, finalizer: string): object {
  return {
    metadata: {
      resourceVersion: object.metadata.resourceVersion,
      finalizers: (object.metadata.finalizers ?? []).filter((each) => each !== finalizer),
    },
  }
}
