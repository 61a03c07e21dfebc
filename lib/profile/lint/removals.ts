// What a script deletes.
import type { Argument, Invocation } from './walk/invocation.ts'
import { expandBraces, withoutHoles } from './walk/text.ts'

export interface Removal {
  readonly operands: readonly Argument[]
  readonly isRecursive: boolean
  readonly line: number
  /** Its place among the invocations. */
  readonly index: number
}

export function removals(invocations: readonly Invocation[]): readonly Removal[] {
  return invocations.flatMap((invocation, index) => {
    const removal = removalOf(invocation)
    return removal === undefined ? [] : [{ ...removal, line: invocation.line, index }]
  })
}

function removalOf({ program, arguments: args }: Invocation): Omit<Removal, 'line' | 'index'> | undefined {
  const texts = args.map((argument) => argument.texts[0] ?? '')
  if (
    program === 'find' &&
    texts.some((text, index) => text === '-delete' || (text === '-exec' && texts[index + 1] === 'rm'))
  )
    return {
      operands: args.slice(
        0,
        texts.findIndex((text) => text.startsWith('-')),
      ),
      isRecursive: true,
    }
  if (program !== 'rm') return undefined
  const options = texts.filter((text) => text.startsWith('-'))
  return {
    operands: args.filter((_, index) => !texts[index]?.startsWith('-')),
    isRecursive: options.some((text) => /^-\w*[rR]|^--recursive$/.test(text)),
  }
}

/** The paths that an operand stands for, where nothing stands before them that is not known. */
export function pathsOf({ texts }: Argument): readonly string[] {
  return texts
    .flatMap((text) => expandBraces(withoutHoles(text)))
    .map((path) => path.replace(/(?<=.)\/+$/, ''))
}
