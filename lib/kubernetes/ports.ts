// The API server as the rooms see it: typed resources, merge patches that name what they believe, outcomes for what
// happens in normal operation. Adapters validate what comes back with the resource's schema.
import type { z } from 'zod'

export interface Resource<T> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly isNamespaced: boolean
  readonly schema: z.ZodType<T>
}

export interface ListOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Throws TransientError (network, 429, 5xx), ConfigError (401, 403). */
export interface KubernetesReader {
  /** undefined for 404. Consistent: no resourceVersion is sent. */
  get<T>(resource: Resource<T>, name: string, namespace?: string): Promise<T | undefined>
  /** All pages. An item that does not parse is left out and logged. */
  list<T>(resource: Resource<T>, options?: ListOptions): Promise<readonly T[]>
}

export type PatchOutcome<T> =
  | { readonly kind: 'patched'; readonly object: T }
  /** The resourceVersion in the patch is not the current one. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'not-found' }
  /** 422: the server says which fields. */
  | { readonly kind: 'invalid'; readonly message: string }

export interface PatchOptions {
  readonly namespace?: string
  readonly subresource?: 'status'
}

export type EvictOutcome =
  | { readonly kind: 'evicted' }
  /** 404, or another uid: nothing left to evict. */
  | { readonly kind: 'gone' }
  /** 429: a PodDisruptionBudget does not allow it now. */
  | { readonly kind: 'blocked'; readonly message: string }

export interface KubernetesWriter {
  create<T>(
    resource: Resource<T>,
    object: object,
    namespace?: string,
  ): Promise<
    | { readonly kind: 'created'; readonly object: T }
    | { readonly kind: 'exists' }
    | { readonly kind: 'invalid'; readonly message: string }
  >
  /** JSON merge patch. Put `metadata.resourceVersion` into it to make it conditional. */
  patch<T>(
    resource: Resource<T>,
    name: string,
    patch: object,
    options?: PatchOptions,
  ): Promise<PatchOutcome<T>>
  delete<T>(
    resource: Resource<T>,
    name: string,
    options?: {
      readonly namespace?: string
      readonly uid?: string
      readonly resourceVersion?: string
      readonly gracePeriodSeconds?: number
    },
  ): Promise<'deleted' | 'not-found' | 'conflict'>
  evict(pod: {
    readonly namespace: string
    readonly name: string
    readonly uid: string
  }): Promise<EvictOutcome>
}

export interface Kubernetes extends KubernetesReader, KubernetesWriter {}

/** One Kubernetes connection per cluster, made on first use. Throws ConfigError for a cluster nobody configured. */
export interface Clusters {
  connect(cluster: string): Kubernetes
}

/** Events for people, on an object. Never throws: an event that cannot be written is logged. */
export interface EventRecorder {
  record(event: {
    readonly cluster: string
    readonly object: {
      readonly apiVersion: string
      readonly kind: string
      readonly name: string
      readonly namespace?: string
      readonly uid: string
    }
    readonly type: 'Normal' | 'Warning'
    readonly reason: string
    readonly message: string
  }): Promise<void>
}
