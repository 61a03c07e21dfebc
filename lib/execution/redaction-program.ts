// What the host's program must know to redact, as text that its bash reads. It is kept like the secrets that it holds.
import { shellQuote } from '../profile/shell-quote.ts'
import { redactionPatterns } from './redaction-patterns.ts'

export function redactionProgram(secrets: readonly string[]): string {
  const { anywhere, words, hints } = redactionPatterns(secrets)
  const tests = hints.map((hint) => `$line == *${shellQuote(hint)}*`)
  return [
    `kp_secrets=(${anywhere.map(shellQuote).join(' ')})`,
    `kp_words=(${words.map(shellQuote).join(' ')})`,
    `may_hold_secret() { [[ ${tests.length > 0 ? tests.join(' || ') : '-n ""'} ]]; }\n`,
  ].join('\n')
}
