// How an answer is shown: whole, as a table for people, or as metadata alone, whatever the client accepts first.
import type { JsonRecord } from './json.ts'
import type { KubeObject } from './kube-object.ts'
import { apiVersionOf, type ResourceType } from './resource-type.ts'
import { StatusError } from './status-error.ts'
import { tableOf } from './table/table.ts'
import type { ListPage } from './verbs/list.ts'
import type { WatchEvent } from './verbs/live-watch.ts'

export type Form = 'whole' | 'table' | 'metadata'

export interface Presenter {
  object(object: KubeObject): JsonRecord
  list(page: ListPage): JsonRecord
  event(event: WatchEvent): unknown
}

export function presenterFor(type: ResourceType, accept: string | undefined, nowMs: number): Presenter {
  const form = formFor(accept)
  const one = (object: KubeObject, metadata: JsonRecord): JsonRecord => {
    if (form === 'table') return tableOf([object], { type, nowMs, metadata })
    return form === 'metadata' ? partial(object) : object
  }
  return {
    object: (object) => one(object, { resourceVersion: object.metadata.resourceVersion }),
    list({ items, metadata }) {
      if (form === 'table') return tableOf(items, { type, nowMs, metadata })
      if (form === 'whole') return { kind: type.listKind, apiVersion: apiVersionOf(type), metadata, items }
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: items.map(partial),
      }
    },
    event: (event) =>
      event.type === 'ERROR' || event.type === 'BOOKMARK'
        ? event
        : { type: event.type, object: one(event.object, {}) },
  }
}

function partial({ metadata }: KubeObject): JsonRecord {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}

function formFor(accept: string | undefined): Form {
  const offers = (accept ?? '').split(',').map((offer) => offer.trim().toLowerCase())
  for (const offer of offers) {
    const [media = '', ...parameters] = offer.split(';').map((part) => part.trim())
    if (!['', '*/*', 'application/*', 'application/json'].includes(media)) continue
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3)
    if (as === undefined) return 'whole'
    if (as === 'table') return 'table'
    if (as === 'partialobjectmetadata' || as === 'partialobjectmetadatalist') return 'metadata'
  }
  const text = 'only the following media types are accepted: application/json'
  throw new StatusError({ code: 406, reason: 'NotAcceptable', message: text })
}
