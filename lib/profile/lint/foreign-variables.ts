// Variables of a join in scripts that run where there is none.
import { seesAddressesOnly } from '../script-phase.ts'
import type { LintScript } from './rule.ts'
import { parametersIn } from './shell/parameters-in.ts'
import type { Parameter } from './shell/syntax.ts'

const ours =
  /^KPSSH_(?:CLUSTER_ENDPOINT|CLUSTER_CA_B64|BOOTSTRAP_TOKEN|NODE_NAME|PROVIDER_ID|NODE_LABELS|TAINTS|VAR_\w+|SECRET_\w+)$/
/** There, but empty. */
const fixed = /^KPSSH_(?!VAR_|SECRET_)/

export function foreignVariables({ phase, program }: LintScript): readonly Parameter[] {
  if (!seesAddressesOnly(phase)) return []
  return parametersIn(program.statements).filter(({ name, prefix }) => prefix !== '!' && ours.test(name))
}

/** With `set -u` the script ends there. */
export function needsValue({ name, operator }: Parameter): boolean {
  if (operator === ':?') return true
  return !fixed.test(name) && !/^:?[-=+]$/.test(operator)
}
