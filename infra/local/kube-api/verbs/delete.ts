import { z } from 'zod'
import type { ApiContext } from '../api-context.ts'
import type { JsonRecord } from '../json.ts'
import { timestamp, type KubeObject } from '../kube-object.ts'
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

export function deleteObject(
  context: ApiContext,
  type: ResourceType,
  current: KubeObject,
  options: DeleteOptions,
): Deletion {
  checkPreconditions(type, current, options)
  const asked = options.gracePeriodSeconds ?? undefined
  const grace = type.rules.gracePeriodSeconds?.(current, asked) ?? 0
  const finalizer = finalizerFor(options)
  const marked = markedForDeletion(context, { type, current, graceSeconds: grace, finalizer })
  const isGone = isFinished(type, marked)
  // An object that nothing holds is gone at once and was never marked.
  const isImmediate = isGone && current.metadata.deletionTimestamp === undefined
  const object = isImmediate ? current : marked
  if (options.dryRun?.includes('All') === true || marked === current) return { object, isGone }
  if (isGone) return { object: context.store.remove(collectionOf(type), object), isGone }
  return { object: context.store.put(collectionOf(type), object), isGone }
}

export function checkPreconditions(type: ResourceType, current: KubeObject, options: DeleteOptions): void {
  const { uid, resourceVersion } = options.preconditions ?? {}
  const { name } = current.metadata
  if (typeof uid === 'string' && uid !== current.metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${current.metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(type, name, why, type.isCustom ? type.plural : type.kind)
  }
  if (typeof resourceVersion === 'string' && resourceVersion !== current.metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current.metadata.resourceVersion}). The object might have been modified`
    throw conflict(type, name, why, type.isCustom ? type.plural : type.kind)
  }
}

/** Foreground and orphaning deletes are finished by the garbage collector, which these finalizers wake. */
function finalizerFor({ propagationPolicy }: DeleteOptions): string | undefined {
  if (propagationPolicy === 'Foreground') return 'foregroundDeletion'
  return propagationPolicy === 'Orphan' ? 'orphan' : undefined
}

function markedForDeletion(
  context: ApiContext,
  given: {
    readonly type: ResourceType
    readonly current: KubeObject
    readonly graceSeconds: number
    readonly finalizer: string | undefined
  },
): KubeObject {
  const { type, current, graceSeconds, finalizer } = given
  const { metadata } = current
  const isMarked = metadata.deletionTimestamp !== undefined
  if (isMarked && graceSeconds >= (metadata.deletionGracePeriodSeconds ?? 0)) return current
  const addsFinalizer =
    finalizer !== undefined && !isMarked && metadata.finalizers?.includes(finalizer) !== true
  const marked = {
    ...current,
    metadata: {
      ...metadata,
      ...(!isMarked && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
      deletionTimestamp: timestamp(context.clock.nowMs() + graceSeconds * 1000),
      deletionGracePeriodSeconds: graceSeconds,
      ...(addsFinalizer && { finalizers: [...(metadata.finalizers ?? []), finalizer] }),
    },
  }
  return type.rules.prepareDelete?.(marked) ?? marked
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
