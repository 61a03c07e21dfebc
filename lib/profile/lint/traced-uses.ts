// Where tracing would print a secret.
import type { LintScript, Match } from './rule.ts'
import { parametersInParts } from './shell/parameters-in.ts'
import type { Argument } from './walk/invocation.ts'
import { secretOf } from './walk/evaluate.ts'
import { secretsIn } from './walk/text.ts'

export const tracingFix =
  'Switch `set -x` on only after the last use, or off before: `{ set +x; } 2>/dev/null`.'

export function tracedUses({ invocations }: LintScript, hole: string): readonly Match[] {
  const isHit = ({ texts }: Argument) => secretsIn(texts).includes(hole)
  return invocations
    .filter(({ isTraced }) => isTraced)
    .flatMap(({ words, assigned, redirects }) => [
      ...[...assigned, ...words, ...redirects.map(({ target }) => target)].filter(isHit).map(expanded),
      ...redirects.filter(({ body }) => isHit(body)).flatMap(({ body }) => expandedInHeredoc(body, hole)),
    ])
}

function expanded({ word }: Argument): Match {
  const [parameter] = parametersInParts(word.parts)
  const what = parameter === undefined ? 'a secret' : `$${parameter.name}`
  return { line: word.line, message: `${what} is expanded while tracing is on` }
}

/** Which of the variables it is, where they say so themselves; else all of it. */
function expandedInHeredoc({ word }: Argument, hole: string): readonly Match[] {
  const named = parametersInParts(word.parts).filter(({ name }) => secretOf(name) === hole)
  if (named.length === 0)
    return [{ line: word.line, message: 'a secret is expanded in a heredoc while tracing is on' }]
  return named.map(({ name, line }) => ({
    line,
    message: `$${name} is expanded in a heredoc while tracing is on`,
  }))
}
