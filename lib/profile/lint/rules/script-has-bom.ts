import { normalizeScript } from '../../normalize-script.ts'
import type { Rule } from '../rule.ts'

export const scriptHasBOM: Rule = {
  name: 'ScriptHasBOM',
  severity: 'warning',
  explanation:
    'Bash takes a byte order mark for a part of the first word. Raw mode removes it, but a signed script cannot be changed any more, and mode Verified refuses it.',
  fix: 'Save the file as plain UTF-8.',
  check({ source }) {
    return normalizeScript(source)
      .flaws.filter(({ kind }) => kind === 'byte-order-mark')
      .map(({ line }) => ({ line, message: 'the script starts with a byte order mark' }))
  },
}
