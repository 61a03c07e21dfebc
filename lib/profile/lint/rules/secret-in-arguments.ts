import type { Rule } from '../rule.ts'
import { secretsIn } from '../walk/text.ts'

export const secretInArguments: Rule = {
  name: 'SecretInArguments',
  severity: 'error',
  explanation:
    'The arguments of a program are there for every user of the host to read, in /proc and in ps, and in the audit log.',
  fix: 'Hand it over on stdin or in a file of mode 600: printf is a builtin, so `printf %s "$secret" | program` shows nothing.',
  check({ invocations }) {
    return invocations
      .filter(({ isBuiltin, words }) => !isBuiltin && words.length > 1)
      .flatMap(({ program, words }) =>
        words
          .filter(({ texts }) => secretsIn(texts) !== '')
          .map(({ word }) => ({
            line: word.line,
            message: `an argument of ${program} holds a secret: ${word.source}`,
          })),
      )
  },
}
