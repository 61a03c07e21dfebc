// A change matters if a decision could turn out differently because of it. A new resourceVersion, a renewed Lease and
// the status fields that reconcile itself writes do not.
import type { ObjectMeta } from '../api/object-meta.ts'

interface WithMeta {
  readonly metadata: ObjectMeta
}

/** Everything but the bookkeeping of the API server. */
export function mattersWhole({ metadata, ...rest }: WithMeta): string {
  return JSON.stringify([essentialMeta(metadata), rest])
}

/** For kinds whose status is our own writing: reacting to it would be answering ourselves. */
export function mattersWithoutStatus({
  metadata,
  ...rest
}: WithMeta & { readonly status?: unknown }): string {
  return JSON.stringify([essentialMeta(metadata), { ...rest, status: undefined }])
}

/** A Lease is looked at with every message and never a reason for one. */
export function mattersNever(): string {
  return ''
}

export function mattersAsIs(fact: unknown): string {
  return JSON.stringify(fact)
}

function essentialMeta(metadata: ObjectMeta): object {
  return { ...metadata, resourceVersion: undefined, generation: undefined }
}
