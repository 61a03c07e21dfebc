// How rules are tested: each has scripts in which it finds something, and scripts in which it must not.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeLintProfile } from '../../lib/profile/lint/make-lint-profile.ts'
import { problemsOf } from '../../lib/profile/lint/problems-of.ts'
import type { Rule } from '../../lib/profile/lint/rule.ts'
import type { Parameter } from '../../lib/profile/profile.ts'
import type { ScriptPhase } from '../../lib/profile/script-phase.ts'

export interface RuleCase {
  /** What is special about it. */
  readonly title: string
  /** join, if absent. */
  readonly phase?: ScriptPhase
  /** Its lines, or every byte of it. */
  readonly script: readonly string[] | string
  /** The other scripts of the profile. */
  readonly others?: Readonly<Partial<Record<ScriptPhase, string>>>
  readonly agentUnits?: readonly string[]
  readonly parameters?: readonly Parameter[]
}

export interface FindingCase extends RuleCase {
  /** `line: message` of each. */
  readonly found: readonly [string, ...string[]]
}

export interface RuleCases {
  readonly finds: readonly [FindingCase, ...FindingCase[]]
  readonly passes: readonly [RuleCase, ...RuleCase[]]
}

export function testRule(rule: Rule, { finds, passes }: RuleCases): void {
  describe(rule.name, () => {
    for (const each of finds) {
      it(`finds ${each.title}`, () => assert.deepEqual(findingsOf(rule, each), each.found))
    }
    for (const each of passes) {
      it(`has nothing against ${each.title}`, () => assert.deepEqual(findingsOf(rule, each), []))
    }
    it('says why, and what to write instead', () => {
      assert.match(rule.name, /^[A-Z][A-Za-z]+$/)
      for (const text of [rule.explanation, rule.fix]) assert.match(text, /^[^]+\.$/)
    })
  })
}

function findingsOf(rule: Rule, each: RuleCase): readonly string[] {
  const { phase = 'join', script, others = {}, agentUnits = ['kubelet'], parameters } = each
  const source = typeof script === 'string' ? script : `${script.join('\n')}\n`
  const scripts = { ...others, [phase]: source }
  const profile = makeLintProfile({ agentUnits, parameters, scripts })
  const subject = profile.scripts[phase]
  assert.ok(subject)
  return problemsOf(rule, subject, profile).map(({ line, message }) => `${line}: ${message}`)
}
