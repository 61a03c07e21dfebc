// A NodePool as packing sees it: what each of its NodeClaims would require and offer.
import { isConditionTrue } from '../api/condition.ts'
import { labels } from '../api/names.ts'
import { isOurNodeClassRef } from '../api/node-class-ref.ts'
import type { NodePool } from '../api/node-pool.ts'
import type { Taint } from '../api/taint.ts'
import { combine, requirementsOf, requirementsOfLabels, type Requirements } from './requirements.ts'

export interface Template {
  readonly pool: NodePool
  readonly name: string
  readonly nodeClass: string
  readonly requirements: Requirements
  readonly taints: readonly Taint[]
}

/** Ready, staying, and without a fixed number of replicas; the heaviest first, then the last by name. */
export function provisioningPools(pools: readonly NodePool[]): readonly NodePool[] {
  return pools.filter(isProvisioning).sort(byWeight)
}

export function isOurs(pool: NodePool): boolean {
  return isOurNodeClassRef(pool.spec.template.spec.nodeClassRef)
}

function isProvisioning({ metadata, spec, status }: NodePool): boolean {
  const isStaying = metadata.deletionTimestamp === undefined && spec.replicas === undefined
  return isStaying && isConditionTrue(status?.conditions, 'Ready')
}

function byWeight(a: NodePool, b: NodePool): number {
  return (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || (a.metadata.name < b.metadata.name ? 1 : -1)
}

/** Throws SpecError for requirements that nobody can read. */
export function templateOf(pool: NodePool): Template {
  const { metadata, spec } = pool.spec.template
  const { group, kind, name: nodeClass } = spec.nodeClassRef
  const own = { [labels.nodePool]: pool.metadata.name, [`${group}/${kind.toLowerCase()}`]: nodeClass }
  return {
    pool,
    name: pool.metadata.name,
    nodeClass,
    requirements: combine(
      requirementsOfLabels({ ...metadata?.labels, ...own }),
      requirementsOf(spec.requirements),
    ),
    taints: spec.taints ?? [],
  }
}
