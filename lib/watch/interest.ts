// Which pod labels anybody asks for. All others are left out of what is sent, so that pods which differ only there
// become one shape.
import { z } from 'zod'
import type { DaemonSet } from '../api/daemon-set.ts'
import { LabelSelector } from '../api/label-selector.ts'
import type { PodDisruptionBudget } from '../api/pod-disruption-budget.ts'
import type { PodNeeds } from '../api/pod.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'

type PodRules = Pick<PodNeeds, 'podAffinity' | 'podAntiAffinity' | 'topologySpreadConstraints'>

export interface Interested {
  readonly podNeeds: Iterable<PodRules>
  readonly podDisruptionBudgets: Iterable<PodDisruptionBudget>
  readonly daemonSets: Iterable<DaemonSet>
  readonly nodeClasses: Iterable<SSHNodeClass>
}

/** Keys of pod labels that a budget, a spread, an affinity or a startup taint gate refers to. */
export function interestOf(interested: Interested): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const needs of interested.podNeeds) addRuleKeys(keys, needs)
  for (const { spec } of interested.podDisruptionBudgets) addSelectorKeys(keys, spec.selector)
  for (const { spec } of interested.daemonSets) {
    const { affinity, topologySpreadConstraints = [] } = spec.template.spec
    addRuleKeys(keys, { ...affinity, topologySpreadConstraints })
  }
  for (const { spec } of interested.nodeClasses) {
    for (const gate of spec.startupTaintGates ?? [])
      addSelectorKeys(keys, gate.removeWhen.podsReady?.selector)
  }
  return keys
}

export function labelsOfInterest(
  labels: Readonly<Record<string, string>>,
  interest: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(labels).filter(([key]) => interest.has(key))
  return Object.fromEntries(kept)
}

const Keys = z.array(z.string()).optional().catch(undefined)
/** What a spread constraint and a pod affinity term have in common. */
const Rule = z.object({
  labelSelector: LabelSelector.optional().catch(undefined),
  matchLabelKeys: Keys,
  mismatchLabelKeys: Keys,
})
const Terms = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(z.unknown()).optional().catch(undefined),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.object({ podAffinityTerm: z.unknown() }))
    .optional()
    .catch(undefined),
})

function addRuleKeys(keys: Set<string>, rules: PodRules): void {
  for (const constraint of rules.topologySpreadConstraints) addRule(keys, constraint)
  for (const affinity of [rules.podAffinity, rules.podAntiAffinity]) {
    if (affinity === undefined) continue
    const terms = Terms.parse(affinity)
    for (const term of terms.requiredDuringSchedulingIgnoredDuringExecution ?? []) addRule(keys, term)
    for (const { podAffinityTerm } of terms.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
      addRule(keys, podAffinityTerm)
    }
  }
}

function addRule(keys: Set<string>, raw: unknown): void {
  const rule = Rule.safeParse(raw).data
  addSelectorKeys(keys, rule?.labelSelector)
  for (const key of [...(rule?.matchLabelKeys ?? []), ...(rule?.mismatchLabelKeys ?? [])]) keys.add(key)
}

function addSelectorKeys(keys: Set<string>, selector: LabelSelector | undefined): void {
  for (const key of Object.keys(selector?.matchLabels ?? {})) keys.add(key)
  for (const { key } of selector?.matchExpressions ?? []) keys.add(key)
}
