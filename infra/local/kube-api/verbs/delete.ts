import { z } from 'zod'
import type { ApiContext } from '../api-context.ts'
import type { JsonRecord } from '../json.ts'
import { timestamp, type KubeObject, type ObjectMeta } from '../kube-object.ts'
import { collectionOf, type ResourceType } from '../resource-type.ts'
import { badRequest, conflict } from '../status-error.ts'
import { isFinished } from './update.ts'

const DeleteOptions = z.looseObject({
  gracePeriodSeconds: z.int().min(0).nullish(),
  propagationPolicy: z.enum(['Background', 'Foreground', 'Orphan']).nullish(),
  preconditions: z
    .looseObject({ uid: z.string().nullish(), resourceVersion: z.string().nullish() })
    .nullish(),
  dryRun: z.array(z.string()).nullish(),
})
export type DeleteOptions = z.infer<typeof DeleteOptions>

export function readDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds')
  const policy = query.get('propagationPolicy')
  const dryRun = query.getAll('dryRun')
  const parsed = DeleteOptions.safeParse({
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(dryRun.length > 0 && { dryRun }),
    ...(typeof body === 'object' ? body : {}),
  })
  if (!parsed.success)
    throw badRequest(`DeleteOptions cannot be handled: ${parsed.error.issues[0]?.message ?? ''}`)
  return parsed.data
}

/** The object as the delete leaves it, and whether it is gone. */
export interface Deletion {
  readonly object: KubeObject
  readonly isGone: boolean
}

export interface Target {
  readonly type: ResourceType
  readonly current: KubeObject
}

export function deleteObject(context: ApiContext, target: Target, options: DeleteOptions): Deletion {
  checkPreconditions(target, options)
  const { type, current } = target
  const marked = markedForDeletion(context, target, options)
  const isGone = isFinished(type, marked)
  // An object that nothing holds is gone at once and was never marked.
  const isImmediate = isGone && current.metadata.deletionTimestamp === undefined
  const object = isImmediate ? current : marked
  if (options.dryRun?.includes('All') === true || marked === current) return { object, isGone }
  if (isGone) return { object: context.store.remove(collectionOf(type), object), isGone }
  return { object: context.store.put(collectionOf(type), object), isGone }
}

export function checkPreconditions({ type, current }: Target, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions ?? {}
  const record = current.metadata
  const subject = type.isCustom ? type : { ...type, plural: type.kind }
  if (typeof uid === 'string' && uid !== record.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${record.uid}). The object might have been deleted and then recreated`
    throw conflict(subject, record.name, why)
  }
  if (typeof resourceVersion === 'string' && resourceVersion !== record.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${record.resourceVersion}). The object might have been modified`
    throw conflict(subject, record.name, why)
  }
}

/** Foreground and orphaning deletes are finished by the garbage collector, which these finalizers wake. */
function finalizerFor({ propagationPolicy }: DeleteOptions): string | undefined {
  if (propagationPolicy === 'Foreground') return 'foregroundDeletion'
  return propagationPolicy === 'Orphan' ? 'orphan' : undefined
}

/** The object as it waits for its end; the very same object if it waits already, for no longer than is asked now. */
function markedForDeletion(
  context: ApiContext,
  { type, current }: Target,
  options: DeleteOptions,
): KubeObject {
  const { metadata } = current
  const asked = options.gracePeriodSeconds ?? undefined
  const graceSeconds = type.rules.gracePeriodSeconds?.(current, asked) ?? 0
  const isMarked = metadata.deletionTimestamp !== undefined
  if (isMarked && graceSeconds >= (metadata.deletionGracePeriodSeconds ?? 0)) return current
  const marked = {
    ...current,
    metadata: {
      ...metadata,
      ...(!isMarked && firstMark(metadata, finalizerFor(options))),
      deletionTimestamp: timestamp(context.clock.nowMs() + graceSeconds * 1000),
      deletionGracePeriodSeconds: graceSeconds,
    },
  }
  return type.rules.prepareDelete?.(marked) ?? marked
}

/** What only the first delete of an object changes. */
function firstMark(
  { generation, finalizers = [] }: ObjectMeta,
  finalizer: string | undefined,
): Pick<ObjectMeta, 'generation' | 'finalizers'> {
  const isNew = finalizer !== undefined && !finalizers.includes(finalizer)
  return {
    ...(generation !== undefined && { generation: generation + 1 }),
    ...(isNew && { finalizers: [...finalizers, finalizer] }),
  }
}

/** What a completed delete of most kinds answers. */
export function deletedStatus(type: ResourceType, { metadata }: KubeObject): JsonRecord {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(type.group !== '' && { group: type.group }),
      kind: type.plural,
      uid: metadata.uid,
    },
  }
}
