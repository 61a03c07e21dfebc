// What the server knows about one kind: where it is served, what a client may do with it, and its own rules.
import type { JsonRecord } from './json.ts'
import type { KubeObject } from './kube-object.ts'
import type { Cause, Subject } from './status-error.ts'
import type { UserInfo } from './user.ts'

export interface PrinterColumn {
  readonly name: string
  readonly type: string
  readonly jsonPath: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
}

/** What a kind's rules may know of the moment. */
export interface RuleScope {
  readonly nowMs: number
  readonly user: UserInfo
  /** Field paths that pruning dropped, for clients that ask for strict validation. */
  readonly unknownFields: string[]
}

export interface KindRules {
  /** A create may bring a status along, as a kubelet's does. */
  readonly keepsStatusOnCreate?: boolean
  /** Defaults and what only the server decides, on create. Gets the object without status where status is a subresource. */
  readonly prepareCreate?: (object: KubeObject, scope: RuleScope) => KubeObject
  readonly prepareUpdate?: (next: KubeObject, current: KubeObject, scope: RuleScope) => KubeObject
  readonly prepareStatus?: (next: KubeObject, current: KubeObject, scope: RuleScope) => KubeObject
  readonly validate?: (object: KubeObject, current: KubeObject | undefined) => readonly Cause[]
  /** Something besides metadata.finalizers keeps a deleted object: a namespace's own finalizers do. */
  readonly isHeld?: (object: KubeObject) => boolean
  /** Called when a delete marks the object. */
  readonly prepareDelete?: (object: KubeObject) => KubeObject
  /** Seconds between a delete and its completion, which somebody must confirm with a second delete. Default 0. */
  readonly gracePeriodSeconds?: (object: KubeObject, askedSeconds: number | undefined) => number
}

export interface ResourceType extends Subject {
  readonly version: string
  readonly singular: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly isNamespaced: boolean
  readonly isCustom: boolean
  readonly hasStatus: boolean
  /** Whether metadata.generation counts changes of anything but metadata and status. */
  readonly hasGeneration: boolean
  /** PUT without a resourceVersion overwrites whatever is there. */
  readonly allowsUnconditionalUpdate: boolean
  /** PUT creates what is not there. */
  readonly allowsCreateOnUpdate: boolean
  /** A completed delete answers with the object instead of a Status. */
  readonly returnsDeleted: boolean
  readonly subresources: readonly string[]
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly fieldLabels: readonly string[]
  readonly columns: readonly PrinterColumn[]
  readonly rules: KindRules
  /** OpenAPI schema, where there is one. */
  readonly schema?: JsonRecord
}

export function apiVersionOf(type: { readonly group: string; readonly version: string }): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`
}

/** Where objects of this type are stored: versions of one resource share their objects. */
export function collectionOf(type: Pick<ResourceType, 'group' | 'plural'>): string {
  return `${type.group}/${type.plural}`
}
