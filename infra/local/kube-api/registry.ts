// Which kinds are served right now: the built-in ones, and those that CustomResourceDefinitions add and take away.
import { builtInTypes } from './kinds/built-in-types.ts'
import { customTypes } from './custom-types.ts'
import type { KubeObject } from './kube-object.ts'
import { apiVersionOf, type ResourceType } from './resource-type.ts'
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
  for (const crd of store.list(crdCollection)) define(crd)
  store.subscribe(crdCollection, (change) => {
    if (change.type === 'DELETED') custom.delete(change.object.metadata.name)
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
