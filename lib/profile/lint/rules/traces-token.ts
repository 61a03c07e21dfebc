import type { Rule } from '../rule.ts'
import { tracedUses, tracingFix } from '../traced-uses.ts'
import { token } from '../walk/text.ts'

export const tracesToken: Rule = {
  name: 'TracesToken',
  severity: 'warning',
  explanation:
    'Tracing prints commands after expansion. The bootstrap token is redacted as it is, lives for one join and is deleted after it; still it is a credential of the cluster.',
  fix: tracingFix,
  check: (script) => tracedUses(script, token),
}
