import type { ApiContext } from '../api-context.ts'
import type { Address } from '../api-request.ts'
import type { JsonRecord } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { apiVersionOf, collectionOf, type ResourceType } from '../resource-type.ts'
import { readFieldSelector, readLabelSelector, type Matcher } from '../selectors.ts'
import { badRequest, expired } from '../status-error.ts'

export interface ListPage {
  readonly items: readonly KubeObject[]
  readonly metadata: JsonRecord
}

/** The rest of a paged list as it was when the list began. */
interface Snapshot {
  readonly collection: string
  readonly version: number
  readonly items: readonly KubeObject[]
}

export interface ListSnapshots {
  keep(snapshot: Snapshot): string
  take(token: string): Snapshot | undefined
  forget(): void
}

const snapshotLimit = 200

export function makeListSnapshots(): ListSnapshots {
  const kept = new Map<string, Snapshot>()
  let count = 0
  return {
    keep(snapshot) {
      const token = Buffer.from(JSON.stringify({ v: 1, page: (count += 1) })).toString('base64url')
      kept.set(token, snapshot)
      for (const oldest of kept.keys()) {
        if (kept.size <= snapshotLimit) break
        kept.delete(oldest)
      }
      return token
    },
    // A token may be used again: a client whose connection broke repeats the page.
    take: (token) => kept.get(token),
    forget: () => kept.clear(),
  }
}

export function matcherFor(type: ResourceType, query: URLSearchParams): Matcher {
  const byLabel = readLabelSelector(query.get('labelSelector') ?? '')
  const byField = readFieldSelector(query.get('fieldSelector') ?? '', type)
  return (object) => byLabel(object) && byField(object)
}

export function listObjects(context: ApiContext, type: ResourceType, address: Address): ListPage {
  const { snapshots } = context
  const { query } = address
  const limit = readLimit(query)
  const token = query.get('continue') ?? ''
  const snapshot = token === '' ? freshSnapshot(context, type, address) : snapshots.take(token)
  if (snapshot?.collection !== collectionOf(type)) {
    throw expired('The provided continue parameter is too old to display a consistent list result')
  }
  const items = limit === 0 ? snapshot.items : snapshot.items.slice(0, limit)
  const rest = snapshot.items.slice(items.length)
  const isSelected = query.has('labelSelector') || query.has('fieldSelector')
  return {
    items: items.map((object) => inVersion(object, type)),
    metadata: {
      resourceVersion: String(snapshot.version),
      ...(rest.length > 0 && { continue: snapshots.keep({ ...snapshot, items: rest }) }),
      ...(rest.length > 0 && !isSelected && { remainingItemCount: rest.length }),
    },
  }
}

function readLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? '0')
  if (!Number.isInteger(limit) || limit < 0) throw badRequest('limit must be a number that is not negative')
  return limit
}

function freshSnapshot(context: ApiContext, type: ResourceType, address: Address): Snapshot {
  const matches = matcherFor(type, address.query)
  const collection = collectionOf(type)
  return {
    collection,
    version: context.store.version(),
    items: context.store.list(collection, address.namespace).filter(matches),
  }
}

/** The stored object as the asked version shows it. */
export function inVersion(object: KubeObject, type: ResourceType): KubeObject {
  const apiVersion = apiVersionOf(type)
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion }
}
