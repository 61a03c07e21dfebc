// Where tracing would print a secret.
import type { LintScript, Match } from './rule.ts'
import { parametersInParts } from './shell/parameters-in.ts'
import type { Argument } from './walk/invocation.ts'
import { secretsIn } from './walk/text.ts'

export const tracingFix =
  'Switch `set -x` on only after the last use, or off before: `{ set +x; } 2>/dev/null`.'

export function tracedUses({ invocations }: LintScript, hole: string): readonly Match[] {
  return invocations
    .filter(({ isTraced }) => isTraced)
    .flatMap(({ words, assigned, redirects, line }) => [
      ...[...assigned, ...words]
        .filter(({ texts }) => secretsIn(texts).includes(hole))
        .map((argument) => ({
          line: argument.word.line,
          message: `${named(argument)} is expanded while tracing is on`,
        })),
      ...redirects
        .filter(({ target, body }) => secretsIn([...target.texts, ...body]).includes(hole))
        .map(() => ({ line, message: 'a secret is expanded in a heredoc while tracing is on' })),
    ])
}

function named({ word }: Argument): string {
  const [parameter] = parametersInParts(word.parts)
  return parameter === undefined ? 'a secret' : `$${parameter.name}`
}
