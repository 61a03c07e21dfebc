import { foreignVariables, needsValue } from '../foreign-variables.ts'
import type { Rule } from '../rule.ts'

export const leaveNeedsEnvironment: Rule = {
  name: 'LeaveNeedsEnvironment',
  severity: 'error',
  explanation:
    'leave and uninstall run with no node class at hand and get the two addresses, nothing else: they would fail exactly when a host must be disconnected.',
  fix: 'Find it out on the host, or write it there in join.',
  check: (script) =>
    foreignVariables(script)
      .filter(needsValue)
      .map(({ name, line }) => ({ line, message: `$${name} does not exist when a host leaves` })),
}
