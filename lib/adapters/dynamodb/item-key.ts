// Where each kind of item lives. Parts of a key that come from outside cannot contain a slash or a hash sign: pools, namespaces
// and names are DNS names, uids and digests are hex and dashes.
import type { HostKey } from '../../hosts/host-record.ts'

export interface ItemKey {
  readonly pk: string
  readonly sk: string
}

export const hostPrefix = 'host#'

export function poolPartition(pool: string): string {
  return `pool#${pool}`
}

/** Names every pool, so that whoever looks after all hosts finds them without a scan. */
export const poolsPartition = 'pools'

export function poolItemKey(pool: string): ItemKey {
  return { pk: poolsPartition, sk: pool }
}

/** The hosts of a pool share a partition, so that one consistent query lists them. */
export function hostItemKey({ pool, namespace, name }: HostKey): ItemKey {
  return { pk: poolPartition(pool), sk: `${hostPrefix}${namespace}/${name}` }
}

export function nodeClaimItemKey(uid: string): ItemKey {
  return { pk: `nodeclaim#${uid}`, sk: 'binding' }
}

export function recipeItemKey(digest: string): ItemKey {
  return { pk: `recipe#${digest}`, sk: 'recipe' }
}

export function historyPartition({ pool, namespace, name }: HostKey): string {
  return `history#${pool}/${namespace}/${name}`
}

export function clusterItemKey(cluster: string): ItemKey {
  return { pk: `cluster#${cluster}`, sk: 'cluster' }
}

export const installationItemKey: ItemKey = { pk: 'installation', sk: 'installation' }
