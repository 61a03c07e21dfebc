// Deletes what its owners left behind, finishes foreground and orphaning deletes, and ends pods of nodes that are no more.
import { recordOf, textOf } from '../kube-api/json.ts'
import type { KubeObject, OwnerReference } from '../kube-api/kube-object.ts'
import { apiVersionOf, collectionOf, type ResourceType } from '../kube-api/resource-type.ts'
import type { Cluster } from './cluster.ts'
import type { Controller } from './control-loop.ts'

const foreground = 'foregroundDeletion'
const orphan = 'orphan'

interface Found {
  readonly collection: string
  readonly object: KubeObject
}

export const ownerCollector: Controller = {
  name: 'garbage-collector',
  watches: 'all',
  reconcile(cluster) {
    const types = cluster.types()
    const all = everything(cluster, types)
    for (const found of all) {
      if (isOrphaned(cluster, types, found.object)) cluster.remove(found.collection, found.object)
      else finishDelete(cluster, all, found)
    }
  },
}

function everything(cluster: Cluster, types: readonly ResourceType[]): readonly Found[] {
  const collections = [...new Set(types.map(collectionOf))]
  return collections.flatMap((collection) =>
    cluster.list(collection).map((object) => ({ collection, object })),
  )
}

function isOrphaned(cluster: Cluster, types: readonly ResourceType[], { metadata }: KubeObject): boolean {
  const owners = metadata.ownerReferences ?? []
  if (owners.length === 0 || metadata.deletionTimestamp !== undefined) return false
  return owners.every((owner) => isGone(cluster, types, { owner, namespace: metadata.namespace ?? '' }))
}

/** An owner of a kind that is not served is not gone: nobody knows. */
function isGone(
  cluster: Cluster,
  types: readonly ResourceType[],
  { owner, namespace }: { readonly owner: OwnerReference; readonly namespace: string },
): boolean {
  const type = types.find(({ kind, ...one }) => kind === owner.kind && apiVersionOf(one) === owner.apiVersion)
  if (!type) return false
  const found = cluster.get(collectionOf(type), type.isNamespaced ? namespace : '', owner.name)
  return found?.metadata.uid !== owner.uid
}

function finishDelete(cluster: Cluster, all: readonly Found[], { collection, object }: Found): void {
  const { deletionTimestamp, finalizers = [], uid } = object.metadata
  if (deletionTimestamp === undefined) return
  const dependents = all.filter(({ object: { metadata } }) =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid),
  )
  if (finalizers.includes(foreground)) {
    for (const dependent of dependents) cluster.remove(dependent.collection, dependent.object)
    if (dependents.length === 0) withdraw(cluster, { collection, object }, foreground)
  }
  if (finalizers.includes(orphan)) {
    for (const dependent of dependents) disown(cluster, dependent, uid)
    withdraw(cluster, { collection, object }, orphan)
  }
}

function withdraw(cluster: Cluster, { collection, object }: Found, finalizer: string): void {
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer)
  cluster.patch(collection, object, { metadata: { finalizers } })
}

function disown(cluster: Cluster, { collection, object }: Found, uid: string): void {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid)
  cluster.patch(collection, object, { metadata: { ownerReferences } })
}

export function makePodCollector(options: { readonly quarantineMs: number }): Controller {
  const missingSince = new Map<string, number>()
  return {
    name: 'pod-garbage-collector',
    watches: ['/pods', '/nodes'],
    everyMs: 1000,
    reconcile(cluster) {
      const nodes = new Set(cluster.list('/nodes').map(({ metadata }) => metadata.name))
      for (const name of missingSince.keys()) if (nodes.has(name)) missingSince.delete(name)
      for (const pod of cluster.list('/pods')) {
        const nodeName = textOf(recordOf(pod['spec'])['nodeName'])
        if (nodeName === '' || nodes.has(nodeName)) continue
        const sinceMs = missingSince.get(nodeName) ?? cluster.nowMs
        missingSince.set(nodeName, sinceMs)
        if (cluster.nowMs - sinceMs >= options.quarantineMs)
          cluster.remove('/pods', pod, { gracePeriodSeconds: 0 })
      }
    },
  }
}
