import type { Rule } from '../rule.ts'
import { hasVerb, unitCommands } from '../units.ts'

export const reboots: Rule = {
  name: 'Reboots',
  severity: 'error',
  explanation:
    'A run ends with its host: its outcome is lost, the phase counts as failed, and the next attempt reboots again.',
  fix: 'Say in one line what needs the reboot, and end with an exit code that is not 0; boards are prepared before they are added.',
  check({ invocations }) {
    const programs = invocations
      .filter(
        ({ program, arguments: args }) =>
          /^(?:reboot|poweroff|halt|shutdown|kexec)$/.test(program) ||
          (/^(?:init|telinit)$/.test(program) && args.some(({ texts }) => /^[016]$/.test(texts[0] ?? ''))),
      )
      .filter(
        ({ program, arguments: args }) =>
          !(program === 'shutdown' && args.some(({ texts }) => texts[0] === '-c')),
      )
    const verbs = unitCommands(invocations).filter(
      (command) =>
        isKnown(command.verbs) &&
        hasVerb(command, 'reboot', 'soft-reboot', 'poweroff', 'halt', 'kexec', 'suspend', 'hibernate'),
    )
    return [...programs, ...verbs].map(({ line }) => ({
      line,
      message: 'the host goes down in the middle of the phase',
    }))
  },
}

function isKnown(verbs: readonly string[]): boolean {
  return verbs.every((verb) => /^[\w-]+$/.test(verb))
}
