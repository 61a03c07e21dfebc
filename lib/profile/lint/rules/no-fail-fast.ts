import type { Invocation } from '../walk/invocation.ts'
import type { Rule } from '../rule.ts'

export const noFailFast: Rule = {
  name: 'NoFailFast',
  severity: 'warning',
  explanation:
    'Raw mode puts `set -euo pipefail` in front of every script, but a signed script runs as it is, and so does one that is tried by hand: a failing command would go unnoticed, and the host would count as joined.',
  fix: 'Start the script with `set -euo pipefail`.',
  check({ text, invocations, firstLine }) {
    // A script with a template cannot be signed.
    if (text.includes('{{')) return []
    const missing = missingOptions(invocations)
    if (missing.length === 0) return []
    return [{ line: firstLine, message: `the script does not ${missing.join(' and does not ')}` }]
  },
}

const meanings = [
  ['e', 'errexit', 'end at a failing command'],
  ['u', 'nounset', 'end at an unset variable'],
  ['', 'pipefail', 'notice a failure inside of a pipe'],
] as const

function missingOptions(invocations: readonly Invocation[]): readonly string[] {
  const first = invocations.findIndex(({ isBuiltin }) => !isBuiltin)
  const words = invocations
    .slice(0, first < 0 ? undefined : first)
    .filter(({ program }) => program === 'set')
    .flatMap(({ arguments: args }) => args.map(({ texts }) => texts[0] ?? ''))
  const letters = words.filter((word) => /^-\w/.test(word)).join('')
  return meanings.flatMap(([letter, name, meaning]) => {
    const isSet = (letter !== '' && letters.includes(letter)) || words.includes(name)
    return isSet ? [] : [meaning]
  })
}
