// How an answer is shown.
import type { JsonRecord } from './json.ts'
import type { KubeObject } from './kube-object.ts'
import { apiVersionOf, type ResourceType } from './resource-type.ts'
import type { ListPage } from './verbs/list.ts'
import type { WatchEvent } from './verbs/watch.ts'

export function presentObject(
  _type: ResourceType,
  object: KubeObject,
  _accept: string | undefined,
): JsonRecord {
  return object
}

export function presentList(type: ResourceType, page: ListPage, _accept: string | undefined): JsonRecord {
  return { kind: type.listKind, apiVersion: apiVersionOf(type), metadata: page.metadata, items: page.items }
}

export function presentEvent(_type: ResourceType, event: WatchEvent, _accept: string | undefined): unknown {
  return event
}
