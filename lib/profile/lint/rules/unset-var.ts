import { seesAddressesOnly } from '../../script-phase.ts'
import type { Parameter } from '../../profile.ts'
import type { LintScript, Match, Rule } from '../rule.ts'
import { parametersIn } from '../shell/parameters-in.ts'

const guarding = /^:?[-=?+]$/

export const unsetVar: Rule = {
  name: 'UnsetVar',
  severity: 'warning',
  explanation:
    'The default of a parameter is exported here, but not when the script is tried by hand or run by a control plane that knows no parameters: `set -u` ends it there.',
  fix: 'Write the default at the first use: `${KPSSH_VAR_name:-default}`.',
  check(script, { parameters = [] }) {
    const optional = parameters.filter((parameter) => parameter.default !== undefined)
    return optional.flatMap((parameter) => unguardedUse(script, parameter))
  },
}

/** Whoever once asks whether it is there knows what to do without. */
function unguardedUse({ phase, program }: LintScript, { name }: Parameter): readonly Match[] {
  if (seesAddressesOnly(phase)) return []
  const uses = parametersIn(program.statements).filter(
    (use) => use.name === `KPSSH_VAR_${name}` && use.prefix !== '!',
  )
  const [first] = uses
  if (first === undefined || uses.some(({ operator }) => guarding.test(operator))) return []
  return [
    { line: first.line, message: `$KPSSH_VAR_${name} has a default in the profile and none in the script` },
  ]
}
