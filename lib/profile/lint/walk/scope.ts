// The variables of a script while it is walked: what each may hold by then.
import { either, unknown, type Texts } from './text.ts'

/** An array, element by element; other variables have one element. */
export type Elements = readonly Texts[]

interface Frame {
  readonly locals: Map<string, Elements>
  arguments: Elements
}

export interface Scope {
  /** undefined for what the script never set. */
  get(name: string): Elements | undefined
  /** In a branch that may not be taken, what was there before may still be there. */
  set(
    name: string,
    elements: Elements,
    how: { readonly isCertain: boolean; readonly isAddition?: boolean },
  ): void
  declareLocal(name: string): void
  /** The positional parameters. */
  readonly positional: Elements
  shift(count: number): void
  setPositional(elements: Elements): void
  /** Carries out a function call. */
  call<T>(positional: Elements, body: () => T): T
}

export function makeScope(): Scope {
  const globals: Frame = { locals: new Map(), arguments: [] }
  const frames: Frame[] = [globals]
  const innermost = () => frames.at(-1) ?? globals
  const holder = (name: string) => frames.findLast(({ locals }) => locals.has(name)) ?? globals
  return {
    get: (name) => holder(name).locals.get(name),
    set(name, elements, { isCertain, isAddition = false }) {
      const { locals } = holder(name)
      const before = locals.get(name)
      locals.set(name, isCertain && !isAddition ? elements : merged(before, elements, isAddition))
    },
    declareLocal(name) {
      if (frames.length > 1) innermost().locals.set(name, [['']])
    },
    get positional() {
      return innermost().arguments
    },
    shift(count) {
      innermost().arguments = innermost().arguments.slice(count)
    },
    setPositional(elements) {
      innermost().arguments = elements
    },
    call(positional, body) {
      frames.push({ locals: new Map(), arguments: positional })
      try {
        return body()
      } finally {
        frames.pop()
      }
    },
  }
}

const mostElements = 256

function merged(before: Elements | undefined, after: Elements, isAddition: boolean): Elements {
  if (before === undefined) return after
  const [first = [''], ...others] = before
  const [text = [''], ...more] = after
  if (!isAddition && others.length === 0 && more.length === 0) return [either([first, text])]
  return before.length + after.length > mostElements ? [unknown] : [...before, ...after]
}
