// Requirements of a node or a pod on labels, key by key, and whether the two go together.
import { labels as names } from '../api/names.ts'
import type { Labels } from '../api/label-selector.ts'
import type { Requirement } from '../api/node-pool.ts'
import {
  intersect,
  isEmpty,
  isNegative,
  oneOf,
  requirementsOfSet,
  valueSetOf,
  type ValueSet,
} from './value-set.ts'

/** A key that is absent may have any value. */
export type Requirements = ReadonlyMap<string, ValueSet>

export const noRequirements: Requirements = new Map()

/** Labels that a host fills in: a pod may ask for them although no NodePool names them. */
export const wellKnownLabels: ReadonlySet<string> = new Set([
  names.nodePool,
  names.capacityType,
  names.zone,
  names.region,
  names.instanceType,
  names.arch,
  names.os,
  names.windowsBuild,
])

const oldNames: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': names.zone,
  'failure-domain.beta.kubernetes.io/region': names.region,
  'beta.kubernetes.io/arch': names.arch,
  'beta.kubernetes.io/os': names.os,
  'beta.kubernetes.io/instance-type': names.instanceType,
}

/** The key by which a label goes today. */
export function currentKey(key: string): string {
  return oldNames[key] ?? key
}

/** Throws SpecError (RequirementInvalid). */
export function requirementsOf(list: readonly Requirement[]): Requirements {
  return allOf(list.map((requirement) => [currentKey(requirement.key), valueSetOf(requirement)]))
}

export function requirementsOfLabels(labels: Labels): Requirements {
  return new Map(Object.entries(labels).map(([key, value]) => [currentKey(key), oneOf([value])]))
}

export function combine(...terms: readonly Requirements[]): Requirements {
  return allOf(terms.flatMap((term) => [...term]))
}

function allOf(terms: readonly (readonly [string, ValueSet])[]): Requirements {
  const result = new Map<string, ValueSet>()
  for (const [key, set] of terms) {
    const before = result.get(key)
    result.set(key, before === undefined ? set : intersect(before, set))
  }
  return result
}

/**
 * The first key on which the node side does not meet the pod side; undefined if they go together. A key that the pod
 * names must be known on the node side, unless it is in `mayBeUndefined` or the pod asks for its absence.
 */
export function conflictingKey(
  nodeSide: Requirements,
  podSide: Requirements,
  mayBeUndefined: ReadonlySet<string> = new Set(),
): string | undefined {
  for (const [key, wanted] of podSide) {
    const offered = nodeSide.get(key)
    if (offered === undefined) {
      if (!mayBeUndefined.has(key) && !isNegative(wanted)) return key
    } else if (!goTogether(offered, wanted)) {
      return key
    }
  }
  return undefined
}

/** The first key that both name and on which they share no value. */
export function disjointKey(a: Requirements, b: Requirements): string | undefined {
  return [...b.keys()].find((key) => {
    const [one, other] = [a.get(key), b.get(key)]
    return one !== undefined && other !== undefined && !goTogether(one, other)
  })
}

/** Two that both ask for absence always agree. */
function goTogether(a: ValueSet, b: ValueSet): boolean {
  return !isEmpty(intersect(a, b)) || (isNegative(a) && isNegative(b))
}

/** As a NodeClaim states them, sorted by key. */
export function formatRequirements(requirements: Requirements): readonly Requirement[] {
  return [...requirements.keys()].sort().flatMap((key) => {
    const set = requirements.get(key)
    return set === undefined ? [] : requirementsOfSet(key, set)
  })
}
