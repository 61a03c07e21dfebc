// From the pattern of a parameter, which people write as a JavaScript expression, to one that hosts read alike. It takes
// printable ASCII alone, and of that what the author's pattern takes.
import { parsePattern } from '../pattern.ts'
import { parsePortablePattern } from './portable-pattern.ts'
import { portableSet } from './portable-set.ts'

export type ConvertedPattern =
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'invalid'; readonly message: string }

export function convertPattern(text: string): ConvertedPattern {
  const known = parsePattern(text)
  if (known.kind === 'invalid') return known
  const pieces = [...text.matchAll(piece)].map(({ 0: found, groups = {} }) => ({ found, ...groups }))
  const pattern = convertChoice({ pieces, at: 0 })
  if (pattern === undefined)
    return { kind: 'invalid', message: 'nothing that is printable ASCII matches a part of it' }
  // The one portable way to say that a value must be empty.
  const portable = parsePortablePattern(pattern || '.{0}')
  return portable.kind === 'invalid' ? portable : { kind: 'pattern', pattern: pattern || '.{0}' }
}

interface Piece {
  readonly found: string
  readonly open?: string
  readonly end?: string
  readonly quantifier?: string
  readonly anchor?: string
}

/** What the author's patterns are made of; everything else in one was refused before. */
const piece =
  /(?<open>\((?:\?:)?)|(?<end>[|)])|(?<quantifier>[*+?]|\{\d+(?:,\d*)?\})\??|(?<anchor>[\^$])|\[(?:\\.|[^\]\\])*\]|\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|[pP]\{[^}]*\}|.)|./gsu

interface Reader {
  readonly pieces: readonly Piece[]
  at: number
}

/** undefined where a part matches nothing that is printable. */
function convertChoice(reader: Reader): string | undefined {
  const options = [convertSequence(reader)]
  while (reader.pieces[reader.at]?.found === '|') {
    reader.at += 1
    options.push(convertSequence(reader))
  }
  if (options.includes(undefined)) return undefined
  const written = options.filter((option) => option !== '')
  const choice = written.join('|')
  return written.length === options.length || choice === '' ? choice : `(${choice})?`
}

function convertSequence(reader: Reader): string | undefined {
  const parts: (string | undefined)[] = []
  for (let next = reader.pieces[reader.at]; next !== undefined; next = reader.pieces[reader.at]) {
    if (next.end !== undefined) break
    parts.push(convertRepeated(reader, next))
  }
  return parts.includes(undefined) ? undefined : parts.join('')
}

function convertRepeated(reader: Reader, first: Piece): string | undefined {
  reader.at += 1
  // A whole value is matched anyway.
  if (first.anchor !== undefined) return ''
  const atom = first.open === undefined ? portableSet(first.found) : convertGroup(reader)
  const quantifier = reader.pieces[reader.at]?.quantifier
  if (quantifier === undefined) return atom
  reader.at += 1
  // Greed says what a part matches, not whether the whole does.
  return atom === '' || /^\{0+(,0+)?\}$/.test(quantifier) ? '' : atom && atom + quantifier
}

function convertGroup(reader: Reader): string | undefined {
  const inner = convertChoice(reader)
  reader.at += 1
  return inner && `(${inner})`
}
