import type { Rule } from '../rule.ts'

export const largestScriptBytes = 262_144

export const scriptTooLarge: Rule = {
  name: 'ScriptTooLarge',
  severity: 'error',
  isRefused: true,
  explanation: 'A cluster stores at most 256 KiB for a script.',
  fix: 'Let install fetch what is large, and check its digest.',
  check({ source }) {
    const bytes = Buffer.byteLength(source)
    if (bytes <= largestScriptBytes) return []
    return [{ line: 0, message: `the script has ${bytes} bytes, at most ${largestScriptBytes} are allowed` }]
  },
}
