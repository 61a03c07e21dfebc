import type { Rule } from '../rule.ts'
import { hasVerb, unitCommands } from '../units.ts'

export const restartsSSH: Rule = {
  name: 'RestartsSSH',
  severity: 'warning',
  explanation:
    'SSH is the only way in. A configuration that sshd does not accept locks everybody out, and there is nothing else to repair it with.',
  fix: 'Leave sshd alone; where it must be, check with `sshd -t` and `systemctl reload ssh`, which keeps the old one if the new one is wrong.',
  check({ invocations }) {
    const units = unitCommands(invocations).filter(
      (command) =>
        command.units.some((unit) => /^(?:sshd?|ssh\.socket|sshd\.socket)$/.test(unit)) &&
        hasVerb(command, 'restart', 'try-restart', 'stop', 'kill', 'disable', 'mask'),
    )
    const killed = invocations.filter(
      ({ program, arguments: args }) =>
        (program === 'pkill' || program === 'killall') && args.some(({ texts }) => texts.includes('sshd')),
    )
    return [...units, ...killed].map(({ line }) => ({
      line,
      message: 'the SSH server is restarted or stopped',
    }))
  },
}
