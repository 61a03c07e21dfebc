// From the JSON of an API server to typed objects.
import { z } from 'zod'
import { SpecError } from '../../errors/spec-error.ts'
import type { Log } from '../../ambient/ports.ts'
import type { Resource } from '../../kubernetes/ports.ts'
import type { Seen } from '../../kubernetes/watch-ports.ts'

const Identity = z.object({
  metadata: z.object({
    name: z.string().catch(''),
    namespace: z.string().optional().catch(undefined),
    uid: z.string().catch(''),
    resourceVersion: z.string().catch(''),
  }),
})

export interface ObjectIdentity {
  /** With its namespace in front, if it has one. */
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

/** Who an object is, whether or not the rest of it can be read. */
export function identityOf(raw: unknown): ObjectIdentity {
  const metadata = Identity.safeParse(raw).data?.metadata
  if (metadata === undefined) return { name: '', uid: '', resourceVersion: '' }
  const { name, namespace, uid, resourceVersion } = metadata
  return { name: namespace === undefined ? name : `${namespace}/${name}`, uid, resourceVersion }
}

export type ReadObject<T> =
  | { readonly kind: 'object'; readonly object: T }
  | { readonly kind: 'unreadable'; readonly name: string; readonly problem: string }

export function parseObject<T>(resource: Resource<T>, raw: unknown): ReadObject<T> {
  const result = resource.schema.safeParse(raw)
  if (result.success) return { kind: 'object', object: result.data }
  const problem = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
  return { kind: 'unreadable', name: identityOf(raw).name, problem: problem.slice(0, 512) }
}

export function parsedAnswer<T>(resource: Resource<T>, body: unknown, doing: string): T {
  const read = parseObject(resource, body)
  if (read.kind === 'object') return read.object
  throw new SpecError(
    `Cannot ${doing}: it has a form that kpssh does not understand (${read.problem}), correct the object`,
    {
      reason: 'ObjectUnreadable',
      details: { kind: resource.kind },
    },
  )
}

/** Undefined, and logged, for an object that does not parse. */
export function readSeen<T>(resource: Resource<T>, raw: unknown, log: Log): Seen<T> | undefined {
  const read = parseObject(resource, raw)
  if (read.kind === 'unreadable') {
    log.warn('kubernetes.object-unreadable', { kind: resource.kind, name: read.name, problem: read.problem })
    return undefined
  }
  const { uid, resourceVersion } = identityOf(raw)
  return { uid, resourceVersion, object: read.object }
}
