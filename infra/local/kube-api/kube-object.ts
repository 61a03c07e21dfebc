// One Kubernetes object as the server keeps it: metadata parsed at the door, the rest as it came. Stored objects are never
// changed in place; a change is a new object.
import { z } from 'zod'
import { isRecord, type JsonRecord } from './json.ts'
import { badRequest } from './status-error.ts'

const OwnerReference = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
  controller: z.boolean().nullish(),
  blockOwnerDeletion: z.boolean().nullish(),
})
export type OwnerReference = z.infer<typeof OwnerReference>

const texts = z.record(z.string(), z.string())

/** As clients send it: anything may be missing, null means missing. */
const SentMeta = z.looseObject({
  name: z.string().nullish(),
  generateName: z.string().nullish(),
  namespace: z.string().nullish(),
  uid: z.string().nullish(),
  resourceVersion: z.string().nullish(),
  labels: texts.nullish(),
  annotations: texts.nullish(),
  finalizers: z.array(z.string()).nullish(),
  ownerReferences: z.array(OwnerReference).nullish(),
})

export interface ObjectMeta extends JsonRecord {
  readonly name: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
}

export interface KubeObject extends JsonRecord {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** What a client sent, before the server has added what only it may add. */
export interface SentObject {
  readonly fields: JsonRecord
  readonly meta: {
    readonly name?: string
    readonly generateName?: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
    readonly ownerReferences?: readonly OwnerReference[]
  }
}

export function readSentObject(value: unknown, kind: string): SentObject {
  if (!isRecord(value)) throw badRequest(`the object provided is unrecognized (must be of type ${kind})`)
  const parsed = SentMeta.safeParse(value['metadata'] ?? {})
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = ['metadata', ...(issue?.path ?? [])].join('.')
    throw badRequest(`${kind} cannot be handled as a ${kind}: ${where}: ${issue?.message ?? 'malformed'}`)
  }
  const kept = [
    'name',
    'generateName',
    'namespace',
    'uid',
    'resourceVersion',
    'labels',
    'annotations',
    'finalizers',
    'ownerReferences',
  ]
  const meta = Object.fromEntries(
    Object.entries(parsed.data).filter(
      ([key, field]) => kept.includes(key) && field !== null && !isEmpty(field),
    ),
  )
  return { fields: value, meta }
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === undefined) return true
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.keys(value).length === 0
}

/** RFC 3339 without fractions, as Kubernetes writes instants. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`
}
