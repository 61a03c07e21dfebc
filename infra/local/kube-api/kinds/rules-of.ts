import type { KindRules } from '../resource-type.ts'

const rules: Readonly<Record<string, KindRules>> = {}

export function rulesOf(group: string, plural: string): KindRules {
  return rules[`${group}/${plural}`] ?? {}
}
