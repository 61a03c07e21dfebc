// The few messages that kubectl sends as protobuf whatever the server offers: what `kubectl create namespace`, `create secret`,
// `create configmap` and `drain` write. Field numbers are Kubernetes' own; a field that is not named here is left out.

export type Shape =
  | 'text'
  | 'bytes'
  | 'number'
  | 'flag'
  | { readonly message: MessageShape }
  | { readonly mapOf: 'text' | 'bytes' }

export interface Field {
  readonly name: string
  readonly shape: Shape
  readonly isRepeated?: boolean
}

/** Fields by their numbers. */
export type MessageShape = Readonly<Record<number, Field>>

const ownerReference: MessageShape = {
  1: { name: 'kind', shape: 'text' },
  3: { name: 'name', shape: 'text' },
  4: { name: 'uid', shape: 'text' },
  5: { name: 'apiVersion', shape: 'text' },
  6: { name: 'controller', shape: 'flag' },
  7: { name: 'blockOwnerDeletion', shape: 'flag' },
}

const objectMeta: MessageShape = {
  1: { name: 'name', shape: 'text' },
  2: { name: 'generateName', shape: 'text' },
  3: { name: 'namespace', shape: 'text' },
  5: { name: 'uid', shape: 'text' },
  6: { name: 'resourceVersion', shape: 'text' },
  11: { name: 'labels', shape: { mapOf: 'text' } },
  12: { name: 'annotations', shape: { mapOf: 'text' } },
  13: { name: 'ownerReferences', shape: { message: ownerReference }, isRepeated: true },
  14: { name: 'finalizers', shape: 'text', isRepeated: true },
}
const metadata: Field = { name: 'metadata', shape: { message: objectMeta } }

const deleteOptions: MessageShape = {
  1: { name: 'gracePeriodSeconds', shape: 'number' },
  2: {
    name: 'preconditions',
    shape: { message: { 1: { name: 'uid', shape: 'text' }, 2: { name: 'resourceVersion', shape: 'text' } } },
  },
  4: { name: 'propagationPolicy', shape: 'text' },
  5: { name: 'dryRun', shape: 'text', isRepeated: true },
}

/** By kind. */
export const knownMessages: Readonly<Record<string, MessageShape>> = {
  DeleteOptions: deleteOptions,
  Eviction: { 1: metadata, 2: { name: 'deleteOptions', shape: { message: deleteOptions } } },
  Namespace: { 1: metadata },
  ServiceAccount: { 1: metadata },
  ConfigMap: {
    1: metadata,
    2: { name: 'data', shape: { mapOf: 'text' } },
    3: { name: 'binaryData', shape: { mapOf: 'bytes' } },
    4: { name: 'immutable', shape: 'flag' },
  },
  Secret: {
    1: metadata,
    2: { name: 'data', shape: { mapOf: 'bytes' } },
    3: { name: 'type', shape: 'text' },
    4: { name: 'stringData', shape: { mapOf: 'text' } },
    5: { name: 'immutable', shape: 'flag' },
  },
}

/** What is around every message: which kind it is, and its bytes. */
export const envelope: MessageShape = {
  1: {
    name: 'typeMeta',
    shape: { message: { 1: { name: 'apiVersion', shape: 'text' }, 2: { name: 'kind', shape: 'text' } } },
  },
  2: { name: 'raw', shape: 'bytes' },
}
