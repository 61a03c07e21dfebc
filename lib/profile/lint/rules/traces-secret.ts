import type { Rule } from '../rule.ts'
import { tracedUses, tracingFix } from '../traced-uses.ts'
import { secret } from '../walk/text.ts'

export const tracesSecret: Rule = {
  name: 'TracesSecret',
  severity: 'error',
  explanation:
    'Tracing prints commands after expansion, so that the value ends up in what the script prints. What is known of it is redacted there; what the script makes of it is not.',
  fix: tracingFix,
  check: (script) => tracedUses(script, secret),
}
