// Metadata: what a client may say, and what only the server says.
import type { ApiContext } from '../api-context.ts'
import { timestamp, type KubeObject, type ObjectMeta, type SentObject } from '../kube-object.ts'
import { isSame } from '../json.ts'
import { apiVersionOf, type ResourceType } from '../resource-type.ts'
import { badRequest, causeForbidden, causeInvalid, type Cause } from '../status-error.ts'
import { labelProblem, nameProblem, qualifiedNameProblem } from '../name-rules.ts'

const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789'

/** A new object with fresh metadata; the name is made from generateName where none is given. */
export function newObject(
  context: ApiContext,
  type: ResourceType,
  { sent, namespace }: { readonly sent: SentObject; readonly namespace: string | undefined },
): KubeObject {
  const { labels, annotations, finalizers, ownerReferences, generateName } = sent.meta
  const name = sent.meta.name ?? generatedName(context, generateName)
  const metadata: ObjectMeta = {
    name,
    ...(generateName !== undefined && { generateName }),
    ...(type.isNamespaced && namespace !== undefined && { namespace }),
    uid: context.ids.next(),
    resourceVersion: '',
    ...(type.hasGeneration && { generation: 1 }),
    creationTimestamp: timestamp(context.clock.nowMs()),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && { ownerReferences }),
  }
  return { ...sent.fields, apiVersion: apiVersionOf(type), kind: type.kind, metadata }
}

function generatedName(context: ApiContext, prefix: string | undefined): string {
  if (prefix === undefined) throw badRequest('name or generateName is required')
  // Spread over the id so that ids that share a prefix still differ.
  let seed = Array.from(context.ids.next()).reduce(
    (sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 32,
    7,
  )
  let suffix = ''
  for (let index = 0; index < 5; index += 1) {
    suffix += suffixLetters[seed % suffixLetters.length] ?? ''
    seed = Math.floor(seed / suffixLetters.length)
  }
  return `${prefix}${suffix}`
}

/** The changed object: what the client sent, under the metadata that stays. */
export function changedObject(type: ResourceType, sent: SentObject, current: KubeObject): KubeObject {
  const { labels, annotations, finalizers, ownerReferences } = sent.meta
  const old = current.metadata
  const metadata: ObjectMeta = {
    name: old.name,
    ...(old.generateName !== undefined && { generateName: old.generateName }),
    ...(old.namespace !== undefined && { namespace: old.namespace }),
    uid: old.uid,
    resourceVersion: old.resourceVersion,
    ...(old.generation !== undefined && { generation: old.generation }),
    creationTimestamp: old.creationTimestamp,
    ...(old.deletionTimestamp !== undefined && { deletionTimestamp: old.deletionTimestamp }),
    ...(old.deletionGracePeriodSeconds !== undefined && {
      deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
    }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && { ownerReferences }),
  }
  return { ...sent.fields, apiVersion: apiVersionOf(type), kind: type.kind, metadata }
}

/** Counts the change where it is more than metadata and, where status is a subresource, status. */
export function withGeneration(type: ResourceType, next: KubeObject, current: KubeObject): KubeObject {
  if (!type.hasGeneration || isSame(countedFields(type, next), countedFields(type, current))) return next
  const generation = (current.metadata.generation ?? 0) + 1
  return { ...next, metadata: { ...next.metadata, generation } }
}

function countedFields(type: ResourceType, object: KubeObject): object {
  const skipped = ['apiVersion', 'kind', 'metadata', ...(type.hasStatus ? ['status'] : [])]
  return Object.fromEntries(Object.entries(object).filter(([key]) => !skipped.includes(key)))
}

export function metaCauses(type: ResourceType, object: KubeObject): readonly Cause[] {
  const { name, labels = {}, annotations = {}, finalizers = [] } = object.metadata
  const nameText = nameProblem(type, name)
  return [
    ...(nameText === undefined
      ? []
      : [causeInvalid('metadata.name', `${JSON.stringify(name)}: ${nameText}`)]),
    ...Object.entries(labels).flatMap(([key, value]) =>
      problemCauses('metadata.labels', [
        [key, qualifiedNameProblem(key)],
        [value, labelProblem(value)],
      ]),
    ),
    ...Object.keys(annotations).flatMap((key) =>
      problemCauses('metadata.annotations', [[key, qualifiedNameProblem(key.toLowerCase())]]),
    ),
    ...finalizers.flatMap((finalizer) =>
      problemCauses('metadata.finalizers', [[finalizer, qualifiedNameProblem(finalizer)]]),
    ),
  ]
}

function problemCauses(
  field: string,
  checked: readonly (readonly [value: string, problem: string | undefined])[],
): readonly Cause[] {
  return checked.flatMap(([value, problem]) =>
    problem === undefined ? [] : [causeInvalid(field, `${JSON.stringify(value)}: ${problem}`)],
  )
}

export function finalizerCauses(next: KubeObject, current: KubeObject): readonly Cause[] {
  if (current.metadata.deletionTimestamp === undefined) return []
  const old = current.metadata.finalizers ?? []
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !old.includes(finalizer))
  if (added.length === 0) return []
  const names = added.map((finalizer) => JSON.stringify(finalizer)).join(', ')
  const cause = causeForbidden(
    'metadata.finalizers',
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`,
  )
  // A real server checks this in two places and reports both.
  return [cause, cause]
}
