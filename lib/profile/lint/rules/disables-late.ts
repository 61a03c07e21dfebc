import { seesAddressesOnly } from '../../script-phase.ts'
import type { LintScript, Match, Rule } from '../rule.ts'
import { concerns, disables, runtimeUnits, stops, unitCommands, type UnitCommand } from '../units.ts'

export const disablesLate: Rule = {
  name: 'DisablesLate',
  severity: 'warning',
  explanation:
    'Whatever fails between stopping a unit and disabling it leaves it enabled: the host joins again at its next boot.',
  fix: 'Disable and stop in one step, before anything else: `systemctl disable --now`.',
  check(script, { agentUnits }) {
    if (!seesAddressesOnly(script.phase)) return []
    const commands = unitCommands(script.invocations)
    return [...agentUnits, ...runtimeUnits].flatMap((unit) => lateFor(script, commands, unit))
  },
}

function lateFor(
  { invocations }: LintScript,
  commands: readonly UnitCommand[],
  unit: string,
): readonly Match[] {
  const own = commands.filter((command) => concerns(command, unit))
  const stop = own.find((command) => stops(command) && !disables(command))
  const disable = own.find(disables)
  if (stop === undefined || disable === undefined || disable.index < stop.index) return []
  const between = invocations.slice(stop.index + 1, disable.index)
  if (between.every(({ program, isBuiltin }) => isBuiltin || program === 'systemctl')) return []
  return [{ line: stop.line, message: `${unit} is stopped here and disabled only in line ${disable.line}` }]
}
