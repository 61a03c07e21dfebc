import type { Rule } from '../rule.ts'

export const noFinalNewline: Rule = {
  name: 'NoFinalNewline',
  severity: 'warning',
  explanation:
    'What is put after the script ends up on its last line; editors and YAML add the line end sooner or later, and a signature is void then.',
  fix: 'End the last line.',
  check({ source, text }) {
    if (source === '' || /[\r\n]$/.test(source)) return []
    return [{ line: text.split('\n').length, message: 'the last line has no end' }]
  },
}
