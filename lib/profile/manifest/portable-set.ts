// One character of an author's pattern, an escape or a class, as a portable pattern: by what of printable ASCII it matches.

const printables = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))
const patternSpecials = '.[](){}|*+?^$\\'
/** What no portable set holds by itself, or only in some places. */
const setSpecials = '[]\\^-'

/** undefined where it matches none. */
export function portableSet(source: string): string | undefined {
  const one = new RegExp(`^${source}$`, 'su')
  const matched = printables.filter((character) => one.test(character))
  const [only] = matched
  if (only === undefined) return undefined
  return matched.length === 1 ? escapeLiteral(only) : writeSet(matched)
}

function escapeLiteral(character: string): string {
  return patternSpecials.includes(character) ? `\\${character}` : character
}

function writeSet(characters: readonly string[]): string {
  const items = runsOf(characters).flatMap(itemsOf)
  const plain = items.filter((item) => !setSpecials.includes(item))
  // Behind others a caret stands for itself, and so does a dash at the end.
  const held = plain.length > 0 ? ['^', '-'] : ['-']
  const inside = [...plain, ...held.filter((item) => items.includes(item))]
  const apart = items.filter((item) => !inside.includes(item))
  const options = [...(inside.length > 0 ? [`[${inside.join('')}]`] : []), ...apart.map(escapeLiteral)]
  return options.length === 1 ? options.join('') : `(${options.join('|')})`
}

interface Run {
  readonly start: number
  readonly end: number
}

/** Almost everything is one run; in what is less, digits and letters are runs of their own, as people write them. */
function runsOf(characters: readonly string[]): readonly Run[] {
  const isMost = characters.length > printables.length / 2
  const runs: Run[] = []
  for (const character of characters) {
    const code = character.charCodeAt(0)
    const last = runs.at(-1)
    const goesOn = last?.end === code - 1 && (isMost || kindOf(last.end) === kindOf(code))
    if (goesOn) runs.splice(-1, 1, { start: last.start, end: code })
    else runs.push({ start: code, end: code })
  }
  return runs
}

function kindOf(code: number): number {
  return [/[0-9]/, /[A-Z]/, /[a-z]/].findIndex((kind) => kind.test(String.fromCharCode(code)))
}

/** Single characters, and ranges that do not begin or end with a special one. */
function itemsOf({ start, end }: Run): readonly string[] {
  const [first, last] = [String.fromCharCode(start), String.fromCharCode(end)]
  if (start === end) return [first]
  if (end - start === 1) return [first, last]
  if (setSpecials.includes(first)) return [first, ...itemsOf({ start: start + 1, end })]
  if (setSpecials.includes(last)) return [...itemsOf({ start, end: end - 1 }), last]
  return [`${first}-${last}`]
}
