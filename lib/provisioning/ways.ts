// The ways in which a pod can be content with a node: strictest first, each giving up one wish more. Preferences are hard
// until they are given up, as in Karpenter, so that they are met where they can be.
import type { NodeSelectorTerm } from '../api/node-selector.ts'
import type { PodNeeds } from '../api/pod.ts'
import type { Toleration } from '../api/toleration.ts'
import { combine, requirementsOf, requirementsOfLabels, type Requirements } from './requirements.ts'

export interface Way {
  readonly requirements: Requirements
  readonly tolerations: readonly Toleration[]
}

export interface WayOptions {
  /** Some NodePool has a PreferNoSchedule taint: bearing with it is the last thing to try. */
  readonly mayBearSoftTaints: boolean
}

/** Nobody writes as many alternatives or preferences by hand; each is tried, so whoever may create pods must not add thousands. */
const mostTerms = 64

/**
 * At least one. Required terms are given up from the first on, the last one never; then preferences, the heaviest first.
 * Throws SpecError for affinity that nobody can read.
 */
export function waysOf(needs: PodNeeds, { mayBearSoftTaints }: WayOptions): readonly Way[] {
  const selector = requirementsOfLabels(needs.nodeSelector)
  const required = requiredTerms(needs)
  const preferred = preferredTerms(needs)
  const pairs = [
    ...(required.length > 0 ? required : [undefined]).map((term) => [term, preferred[0]]),
    ...preferred.map((_, index) => [required.at(-1), preferred[index + 1]]),
  ]
  const ways = pairs.map((terms) => ({
    requirements: combine(selector, ...terms.filter((term) => term !== undefined)),
    tolerations: needs.tolerations,
  }))
  return mayBearSoftTaints ? [...ways, ...ways.slice(-1).map(bearingSoftTaints)] : ways
}

function bearingSoftTaints({ requirements, tolerations }: Way): Way {
  return { requirements, tolerations: [...tolerations, { operator: 'Exists', effect: 'PreferNoSchedule' }] }
}

/** Alternatives; a term without requirements selects no node at all and is left out. */
function requiredTerms({ nodeAffinity }: PodNeeds): readonly Requirements[] {
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return terms
    .slice(0, mostTerms)
    .map(termRequirements)
    .filter((requirements) => requirements.size > 0)
}

/** The heaviest first; equals in the order of the pod. */
function preferredTerms({ nodeAffinity }: PodNeeds): readonly Requirements[] {
  return [...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, mostTerms)
    .map(({ preference }) => termRequirements(preference))
}

function termRequirements(term: NodeSelectorTerm): Requirements {
  return requirementsOf(term.matchExpressions ?? [])
}
