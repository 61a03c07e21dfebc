// What is kept of an object: the fields that decisions read. Schemas already drop what they do not name; this drops what
// they name but the watcher has no use for (foreign annotations, words of conditions).
import type { Lease } from '../api/lease.ts'
import { karpenterGroup, kpsshGroup } from '../api/names.ts'
import type { Node } from '../api/node.ts'
import type { ObjectMeta } from '../api/object-meta.ts'
import { parseInstantMs } from '../api/rfc3339.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { LeaseFact, ProfileFact } from '../messages/cluster-observed.ts'

interface WithMeta {
  readonly metadata: ObjectMeta
}

/** Any object: only annotations of Karpenter and ours are kept. */
export function trimObject<T extends WithMeta>(object: T): T {
  return { ...object, metadata: trimMeta(object.metadata) }
}

/** Conditions lose their messages, which change without meaning. */
export function trimNode(node: Node): Node {
  const conditions = node.status?.conditions?.map(({ type, status, reason, lastTransitionTime }) => ({
    type,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
  }))
  const status = conditions === undefined ? node.status : { ...node.status, conditions }
  return { ...trimObject(node), ...(status === undefined ? {} : { status }) }
}

export function profileFactOf({ metadata, spec }: SSHJoinProfile): ProfileFact {
  const { name, resourceVersion } = metadata
  return { name, version: spec.version, resourceVersion, agentUnits: spec.agentUnits }
}

/** Undefined for a Lease that was never renewed. */
export function leaseFactOf({ metadata, spec }: Lease): LeaseFact | undefined {
  const renewedAtMs = parseInstantMs(spec?.renewTime)
  return renewedAtMs === undefined ? undefined : { nodeName: metadata.name, renewedAtMs }
}

function trimMeta(metadata: ObjectMeta): ObjectMeta {
  const { annotations, ...rest } = metadata
  const kept = Object.entries(annotations ?? {}).filter(([key]) => isOurs(key))
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) }
}

function isOurs(key: string): boolean {
  const domain = key.slice(0, Math.max(0, key.indexOf('/')))
  return domain === kpsshGroup || domain === karpenterGroup || domain.endsWith(`.${karpenterGroup}`)
}
