import { normalizeScript } from '../../normalize-script.ts'
import type { Rule } from '../rule.ts'

export const scriptHasCR: Rule = {
  name: 'ScriptHasCR',
  severity: 'warning',
  explanation:
    'Bash takes a carriage return for a part of the word before it. Raw mode removes them, but a signed script cannot be changed any more, and mode Verified refuses it.',
  fix: 'Save the file with LF line ends.',
  check({ source }) {
    return normalizeScript(source)
      .flaws.filter(({ kind }) => kind === 'carriage-return')
      .map(({ line }) => ({ line, message: 'the script has carriage returns' }))
  },
}
