import type { LintScript, Rule } from '../rule.ts'
import type { Argument, Invocation } from '../walk/invocation.ts'
import { withoutHoles } from '../walk/text.ts'

export const appends: Rule = {
  name: 'Appends',
  severity: 'warning',
  explanation:
    'Any phase may run again after a crash, at any point: what is appended is there twice then. Scripts converge, they do not append.',
  fix: 'Write the file as a whole, or append only where `grep -q` does not find it.',
  check(script) {
    return script.invocations.flatMap((invocation, index) =>
      appendedFiles(invocation)
        .filter(({ texts }) => !isGuarded(invocation) && !texts.every((file) => isFine(script, index, file)))
        .map(({ word }) => ({ line: word.line, message: `${word.source} grows with every run` })),
    )
  },
}

function appendedFiles({ program, arguments: args, redirects }: Invocation): readonly Argument[] {
  const isTee = program === 'tee' && args.some(({ texts }) => /^(?:-\w*a\w*|--append)$/.test(texts[0] ?? ''))
  return [
    ...redirects
      .filter(({ operator }) => operator === '>>' || operator === '&>>')
      .map(({ target }) => target),
    ...(isTee ? args.filter(({ texts }) => !texts[0]?.startsWith('-')) : []),
  ]
}

function isFine(script: LintScript, index: number, file: string): boolean {
  return isHarmless(file) || isMadeBefore(script, index, file)
}

/** Devices, logs, files of this run alone, and what nobody knows. */
function isHarmless(file: string): boolean {
  return /^\/dev\/|^\/tmp\/|^\/var\/log\/|\.log$/.test(file) || withoutHoles(file) === ''
}

function isGuarded({ guards }: Invocation): boolean {
  return guards.some((program) => /^(?:[ef]?grep|rg|cmp|diff|awk)$/.test(program))
}

const writers = /^(?:rm|cp|mv|install|truncate|tee|sed|ln|dd|curl|wget)$/

/** Replaced, or taken off, earlier in the same run. */
function isMadeBefore({ invocations }: LintScript, index: number, file: string): boolean {
  return invocations.slice(0, index).some(({ program, arguments: args, redirects }) => {
    const isWritten = redirects.some(
      ({ operator, target }) => /^(?:>|>\||&>)$/.test(operator) && target.texts.includes(file),
    )
    return (
      isWritten ||
      (writers.test(program) && args.some(({ texts }) => texts.some((text) => text.endsWith(file))))
    )
  })
}
