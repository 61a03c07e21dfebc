// What a word may be when the script runs: texts with holes in them, for what nobody knows before. A hole is one character
// that no script contains, so that texts stay strings, which compare and concatenate by themselves.

/** Any text, or none. */
export const anything = '\uE000'
/** Any text, but not none. */
export const something = '\uE001'
/** The value of a key of the join Secret, or what holds it. */
export const secret = '\uE002'
/** The bootstrap token, or what holds it. */
export const token = '\uE003'

/** The texts that one word may be. */
export type Texts = readonly string[]

const holes = /[\uE000-\uE003]/g
const mostTexts = 32
const longestText = 4_096

export const unknown: Texts = [anything]

export function hasHole(text: string): boolean {
  return /[\uE000-\uE003]/.test(text)
}

/** The secrets that may be in it, as holes; empty for none. */
export function secretsIn(texts: Texts): string {
  return [secret, token].filter((hole) => texts.some((text) => text.includes(hole))).join('')
}

/** The text where every hole is empty. */
export function withoutHoles(text: string): string {
  return text.replaceAll(holes, '')
}

/** Holes of the script itself, if it should hold such characters, are none of ours. */
export function withoutForeignHoles(text: string): string {
  return text.replaceAll(holes, '?')
}

export function either(alternatives: readonly Texts[]): Texts {
  return bounded([...new Set(alternatives.flat())])
}

/** Every one of the first before every one of the second. */
export function joined(first: Texts, second: Texts): Texts {
  if (first.length * second.length > mostTexts) return holed([...first, ...second])
  return bounded([...new Set(first.flatMap((start) => second.map((end) => appended(start, end))))])
}

/** Two holes side by side are one. */
function appended(start: string, end: string): string {
  return end.startsWith(anything) && start.endsWith(anything) ? start + end.slice(1) : start + end
}

function bounded(texts: Texts): Texts {
  if (texts.length > mostTexts) return holed(texts)
  return texts.map((text) => (text.length > longestText ? (holed([text])[0] ?? anything) : text))
}

/** Of too much only this is kept. */
function holed(texts: Texts): Texts {
  return [secretsIn(texts) || anything]
}

/** Whether the text may turn out to be this one. */
export function mayBe(text: string, wanted: string): boolean {
  if (!hasHole(text)) return text === wanted
  const fixed = text.split(/[\uE000-\uE003]/)
  const [start = '', ...others] = fixed
  const end = others.pop() ?? ''
  if (!wanted.startsWith(start) || !wanted.endsWith(end) || wanted.length < start.length + end.length)
    return false
  let at = start.length
  for (const part of others) {
    const found = wanted.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= wanted.length - end.length
}

const innerBraces = /\{([^{},]*(?:,[^{},]*)+)\}/
const mostPaths = 64

/** What `a{b,c}` stands for, where it is not too much. */
export function expandBraces(text: string): Texts {
  let texts: Texts = [text]
  for (;;) {
    const next: Texts = texts.flatMap((each) => {
      const found = innerBraces.exec(each)
      if (found === null) return [each]
      const [whole, inside = ''] = found
      return inside.split(',').map((choice) => each.replace(whole, () => choice))
    })
    if (next.length === texts.length) return next
    if (next.length > mostPaths) return texts
    texts = next
  }
}
