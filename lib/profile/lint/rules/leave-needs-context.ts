import { foreignReferences } from '../../leave-references.ts'
import { parseTemplate } from '../../template/template.ts'
import type { Rule } from '../rule.ts'

/** The other way for a leave to need what it does not get. */
export const leaveNeedsContext: Rule = {
  name: 'LeaveNeedsContext',
  severity: 'error',
  explanation:
    'leave renders with the two addresses and nothing else, also in a branch that is not taken: every node class that uses such a profile is not Ready.',
  fix: 'Find it out on the host, or write it there in join.',
  check({ phase, text }) {
    const parsed = phase === 'leave' ? parseTemplate(phase, text) : undefined
    if (parsed?.kind !== 'parsed') return []
    return foreignReferences(parsed.tree).map(({ line, text: written }) => ({
      line,
      message: `${written} is not there when a host leaves, only .HostAddress and .NodeAddress are`,
    }))
  },
}
