import { collectionOf } from '../kube-api/resource-type.ts'
import type { Controller } from './control-loop.ts'

/** Empties namespaces that are being deleted, then lets them go. */
export const namespaceController: Controller = {
  name: 'namespace-controller',
  watches: 'all',
  reconcile(cluster) {
    for (const namespace of cluster.list('/namespaces')) {
      const { name, deletionTimestamp } = namespace.metadata
      if (deletionTimestamp === undefined) continue
      const collections = new Set(
        cluster.types().flatMap((type) => (type.isNamespaced ? [collectionOf(type)] : [])),
      )
      const content = [...collections].flatMap((collection) =>
        cluster.list(collection, name).map((object) => ({ collection, object })),
      )
      for (const { collection, object } of content) {
        if (object.metadata.deletionTimestamp === undefined) cluster.remove(collection, object)
      }
      if (content.length === 0)
        cluster.ask(namespace, {
          collection: '/namespaces',
          subresource: 'finalize',
          method: 'PUT',
          body: { ...namespace, spec: { finalizers: [] } },
        })
    }
  },
}
