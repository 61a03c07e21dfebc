import type { Rule } from '../rule.ts'
import { removals } from '../removals.ts'
import { anything, expandBraces, something, withoutHoles } from '../walk/text.ts'

export const removesVariable: Rule = {
  name: 'RemovesVariable',
  severity: 'warning',
  explanation:
    'Where the variable is empty or not what it should be, something else is deleted: `"$dir"/*` becomes `/*`.',
  fix: 'Write the path out, or `"${dir:?}"`, which ends the script where it is empty.',
  check({ invocations }) {
    return removals(invocations)
      .filter(({ isRecursive }) => isRecursive)
      .flatMap(({ operands }) =>
        operands
          .filter(({ texts }) => texts.some(isDangerous))
          .map(({ word }) => ({
            line: word.line,
            message: `rm -r of ${word.source}, which may be anything`,
          })),
      )
  },
}

/** Nothing is left of it, or no more than a directory right below the root. */
function isDangerous(text: string): boolean {
  if (!text.includes(anything)) return false
  return expandBraces(withoutHoles(text.replaceAll(something, 'x'))).some((path) =>
    /^(?:\*|\/(?:[^/]*|[^/]+\/\*?))?$/.test(path),
  )
}
