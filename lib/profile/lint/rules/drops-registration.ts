import type { Rule } from '../rule.ts'
import { pathsOf, removals } from '../removals.ts'
import type { Invocation } from '../walk/invocation.ts'

export const dropsRegistration: Rule = {
  name: 'DropsRegistration',
  severity: 'error',
  explanation:
    'The SSM registration is the lasting identity of a host. Without it every join is a cold one, which uses up an activation; deleted without deregistering, the old identity stays behind in the account.',
  fix: 'Keep it in leave. In uninstall let `nodeadm uninstall` take it off, or deregister the instance before its files go.',
  check({ phase, invocations }) {
    const deletions = removals(invocations).filter(({ operands }) =>
      operands
        .flatMap(pathsOf)
        .some((path) => /^\/var\/lib\/amazon(?:\/ssm(?:\/(?:registration)?)?)?(?:\/?\*)?$/.test(path)),
    )
    const deregistrations = invocations.flatMap((invocation, index) =>
      deregisters(invocation) ? [{ line: invocation.line, index }] : [],
    )
    if (phase === 'leave') {
      return [
        ...deletions.map(({ line }) => ({ line, message: 'leave deletes the SSM registration' })),
        ...deregistrations.map(({ line }) => ({ line, message: 'leave deregisters the host' })),
      ]
    }
    // join may have half a registration to repair.
    if (phase !== 'uninstall') return []
    return deletions
      .filter((deletion) => !deregistrations.some(({ index }) => index < deletion.index))
      .map(({ line }) => ({ line, message: 'the SSM registration is deleted without deregistering' }))
  },
}

function deregisters({ program, arguments: args }: Invocation): boolean {
  const words = args.flatMap(({ texts }) => texts)
  if (program === 'nodeadm') return words.includes('uninstall')
  if (program === 'amazon-ssm-agent') return words.includes('-clear')
  return program === 'aws' && words.includes('deregister-managed-instance')
}
