import type { Rule } from '../rule.ts'
import { concerns, disables, hasVerb, starts, unitCommands } from '../units.ts'
import { hasHole } from '../walk/text.ts'
import { isTunnelUnit } from './stops-tunnel.ts'

export const joinDoesNotEnable: Rule = {
  name: 'JoinDoesNotEnable',
  severity: 'error',
  explanation:
    'leave keeps the host ready for the next join. A unit that leave disables and join does not enable is missing after the next reboot of a member; one that is masked cannot be started at all.',
  fix: 'In join, `systemctl unmask` what leave masks, and `systemctl enable --now` what it disables.',
  check(script, { scripts: { leave } }) {
    if (script.phase !== 'join' || leave === undefined) return []
    const inLeave = unitCommands(leave.invocations).filter(disables)
    const inJoin = unitCommands(script.invocations)
    const units = new Set(inLeave.flatMap((command) => command.units))
    return [...units].flatMap((unit) => {
      if (hasHole(unit) || isTunnelUnit(unit)) return []
      const own = inJoin.filter((command) => concerns(command, unit))
      const line = own.find(starts)?.line ?? script.firstLine
      const isMasked = inLeave.some((command) => concerns(command, unit) && hasVerb(command, 'mask'))
      if (isMasked && !own.some((command) => hasVerb(command, 'unmask')))
        return [{ line, message: `leave masks ${unit} and join does not unmask it` }]
      if (own.some((command) => hasVerb(command, 'enable', 'reenable', 'preset'))) return []
      return [{ line, message: `leave disables ${unit} and join does not enable it` }]
    })
  },
}
