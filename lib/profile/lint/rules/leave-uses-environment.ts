import { foreignVariables, needsValue } from '../foreign-variables.ts'
import type { Rule } from '../rule.ts'

/** Where the script copes with it: what it copes with is then always the case. */
export const leaveUsesEnvironment: Rule = {
  name: 'LeaveUsesEnvironment',
  severity: 'warning',
  explanation:
    'What depends on a variable of the join is decided the same way at every leave: it is never there.',
  fix: 'Find it out on the host, or write it there in join.',
  check: (script) =>
    foreignVariables(script)
      .filter((use) => !needsValue(use))
      .map(({ name, line }) => ({ line, message: `$${name} is always empty when a host leaves` })),
}
