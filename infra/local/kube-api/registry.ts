// Which kinds are served right now: the built-in ones, and those that CustomResourceDefinitions add and take away.
import { builtInTypes } from './kinds/built-in-types.ts'
import { customTypes } from './custom-types.ts'
import type { KubeObject } from './kube-object.ts'
import { apiVersionOf, collectionOf, type ResourceType } from './resource-type.ts'
import type { Store } from './store.ts'

export const crdCollection = 'apiextensions.k8s.io/customresourcedefinitions'

export interface Registry {
  find(group: string, version: string, plural: string): ResourceType | undefined
  isServed(group: string, version: string): boolean
  all(): readonly ResourceType[]
}

export function makeRegistry(store: Store): Registry {
  const custom = new Map<string, readonly ResourceType[]>()
  const define = (crd: KubeObject): void => {
    custom.set(crd.metadata.name, customTypes(crd))
  }
  /** Objects go with their definition. */
  const forget = (crd: KubeObject): void => {
    const collections = new Set((custom.get(crd.metadata.name) ?? []).map(collectionOf))
    custom.delete(crd.metadata.name)
    for (const collection of collections) {
      for (const object of store.list(collection)) store.remove(collection, object)
    }
  }
  store.subscribe(crdCollection, (change) => {
    if (change.type === 'DELETED') forget(change.object)
    else define(change.object)
  })
  const all = (): readonly ResourceType[] => [...builtInTypes, ...[...custom.values()].flat()]
  return {
    all,
    find: (group, version, plural) =>
      all().find((type) => type.group === group && type.version === version && type.plural === plural),
    isServed: (group, version) =>
      all().some((type) => apiVersionOf(type) === apiVersionOf({ group, version })),
  }
}
