// From the pattern of a parameter, which people write as a JavaScript expression, to one that hosts read alike. It may take
// less than the author's (characters beyond ASCII), never more.
import { parsePattern } from '../pattern.ts'
import { parsePortablePattern } from './portable-pattern.ts'

export type ConvertedPattern =
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'invalid'; readonly message: string }

class ConversionFault extends Error {}

export function convertPattern(text: string): ConvertedPattern {
  const known = parsePattern(text)
  if (known.kind === 'invalid') return known
  try {
    const pattern = convert(text)
    const portable = parsePortablePattern(pattern)
    return portable.kind === 'invalid' ? portable : { kind: 'pattern', pattern }
  } catch (error) {
    if (error instanceof ConversionFault) return { kind: 'invalid', message: error.message }
    throw error
  }
}

const piece =
  /(?<group>\((?:\?:)?|\)|\|)|(?<quantifier>[*+?]|\{\d+(?:,\d*)?\})\??|(?<dot>\.)|(?<anchor>[\^$])|(?<class>\\[dw]|\[(?:\\.|[^\]\\])*\])|(?<escape>\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|.))|(?<literal>.)/gsu

function convert(text: string): string {
  return [...text.matchAll(piece)].map(({ 0: found, groups = {} }) => pieceOf(found, groups)).join('')
}

function pieceOf(found: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { group, quantifier, anchor } = groups
  if (group !== undefined) return group === '(?:' ? '(' : group
  // Greed changes what a part matches, not whether the whole does.
  if (quantifier !== undefined) return quantifier
  if (found === '.') return '.'
  if (anchor !== undefined) return ''
  return setOf(found)
}

const printables = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))
const setSpecials = '[]\\^-'
const patternSpecials = '.[](){}|*+?^$\\'

/** A character, an escape or a class, by what it matches. */
function setOf(source: string): string {
  const one = new RegExp(`^${source}$`, 'u')
  const matched = printables.filter((character) => one.test(character))
  const others = printables.filter((character) => !one.test(character))
  const isNegated = one.test('\u00e9') && one.test('\u{10000}')
  if (isNegated && others.every((character) => !'[]\\'.includes(character))) return negatedSet(others)
  if (matched.length === 0 || (one.test('\t') && !isNegated) || /^\\[DWSPps]/.test(source)) {
    throw new ConversionFault(
      `${JSON.stringify(source)} cannot be checked on hosts, write out the printable ASCII characters that it stands for`,
    )
  }
  return positiveSet(matched)
}

function negatedSet(characters: readonly string[]): string {
  return characters.length === 0 ? '.' : `[^${bracketItems(characters)}]`
}

function positiveSet(characters: readonly string[]): string {
  const [only = ''] = characters
  if (characters.length === 1) return escapeLiteral(only)
  const apart = characters.filter((character) => '[]\\^'.includes(character))
  const whole = characters.length === printables.length
  const inside = whole ? characters : characters.filter((character) => !apart.includes(character))
  const options = [
    ...(inside.length === 0 ? [] : [`[${bracketItems(inside)}]`]),
    ...(whole ? [] : apart.map(escapeLiteral)),
  ]
  return options.length === 1 ? (options[0] ?? '') : `(${options.join('|')})`
}

function escapeLiteral(character: string): string {
  return patternSpecials.includes(character) ? `\\${character}` : character
}

/** Ranges first, and the dash, which would say something between others, last. */
function bracketItems(characters: readonly string[]): string {
  const codes = characters.map((character) => character.charCodeAt(0))
  const runs: { start: number; end: number }[] = []
  for (const code of codes) {
    const run = runs.at(-1)
    if (run?.end === code - 1) run.end = code
    else runs.push({ start: code, end: code })
  }
  const items = runs.flatMap(itemsOf)
  const dash = items.includes('-') ? '-' : ''
  const caret = items.includes('^') ? '^' : ''
  return items.filter((item) => item !== '-' && item !== '^').join('') + caret + dash
}

function itemsOf({ start, end }: { readonly start: number; readonly end: number }): readonly string[] {
  const character = String.fromCharCode
  if (end - start < 2) return range(start, end).map((code) => character(code))
  if (setSpecials.includes(character(start))) return [character(start), ...itemsOf({ start: start + 1, end })]
  if (setSpecials.includes(character(end))) return [...itemsOf({ start, end: end - 1 }), character(end)]
  return [`${character(start)}-${character(end)}`]
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start + 1 }, (_, index) => start + index)
}
