import { seesAddressesOnly } from '../../script-phase.ts'
import type { LintScript, Match, Rule } from '../rule.ts'
import { parametersIn } from '../shell/parameters-in.ts'

export const undeclaredVar: Rule = {
  name: 'UndeclaredVar',
  severity: 'error',
  explanation:
    'A node class that passes a var which the profile does not declare is warned, and one that does not is not told that it is missing. As a rule the name is misspelled.',
  fix: 'Declare it in spec.parameters, or correct the name.',
  check(script, { parameters }) {
    // Where there are no vars at all, that is what another rule finds.
    if (parameters === undefined || seesAddressesOnly(script.phase)) return []
    return undeclaredUses(
      script,
      parameters.map(({ name }) => name),
    )
  },
}

/** Vars that a script reads beyond those that are declared. */
export function undeclaredUses(
  { program }: Pick<LintScript, 'program'>,
  declared: readonly string[],
): readonly Match[] {
  return parametersIn(program.statements).flatMap(({ name, prefix, line }) => {
    const key = /^KPSSH_VAR_(\w+)$/.exec(name)?.[1]
    if (key === undefined || prefix === '!' || declared.includes(key)) return []
    return [{ line, message: `$${name} is read, but spec.parameters does not declare ${key}` }]
  })
}
