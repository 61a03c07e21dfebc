// Patterns of parameters. Their authors are not asked to know which regular expressions take forever: these are matched
// without backtracking, in steps that grow with the length of the pattern times the length of the value, no faster.

export type ParsedPattern =
  | { readonly kind: 'pattern'; matches(value: string): boolean }
  | { readonly kind: 'invalid'; readonly message: string }

type Piece =
  | { readonly kind: 'atom'; readonly test: (character: string) => boolean }
  | { readonly kind: 'sequence'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'choice'; readonly options: readonly Piece[] }
  | { readonly kind: 'repeat'; readonly piece: Piece; readonly least: number; readonly most: number }

type Step =
  | { readonly kind: 'atom'; readonly test: (character: string) => boolean }
  | { readonly kind: 'split'; readonly to: readonly number[] }
  | { readonly kind: 'end' }

const mostSteps = 4_000

/** What it does not know, it refuses: assertions, back references and flags. */
class PatternFault extends Error {}

/** For whole values: `a|b` matches `a` and `b`, and nothing that merely holds one of them. */
export function parsePattern(text: string): ParsedPattern {
  try {
    new RegExp(text, 'u')
    const steps = compile(readPattern({ text, at: 0 }))
    return { kind: 'pattern', matches: (value) => run(steps, value) }
  } catch (error) {
    if (error instanceof PatternFault) return { kind: 'invalid', message: error.message }
    if (error instanceof SyntaxError) return { kind: 'invalid', message: 'it is no regular expression' }
    throw error
  }
}

interface Reader {
  readonly text: string
  at: number
}

function readPattern(reader: Reader): Piece {
  // A whole value is matched anyway: the usual anchors say nothing new.
  if (reader.text.startsWith('^')) reader.at += 1
  return readChoice(reader)
}

function readChoice(reader: Reader): Piece {
  const options = [readSequence(reader)]
  while (reader.text[reader.at] === '|') {
    reader.at += 1
    options.push(readSequence(reader))
  }
  return { kind: 'choice', options }
}

function readSequence(reader: Reader): Piece {
  const pieces: Piece[] = []
  for (;;) {
    const next = reader.text[reader.at]
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', pieces }
    if (next === '$' && reader.at === reader.text.length - 1) reader.at += 1
    else pieces.push(readRepeated(reader))
  }
}

const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y

function readRepeated(reader: Reader): Piece {
  const piece = readAtom(reader)
  quantifier.lastIndex = reader.at
  const found = quantifier.exec(reader.text)
  if (found === null) return piece
  reader.at += found[0].length
  const [, sign, least = '0', comma, most = ''] = found
  if (sign !== undefined)
    return { kind: 'repeat', piece, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity }
  const upper = comma === undefined ? Number(least) : most === '' ? Infinity : Number(most)
  return { kind: 'repeat', piece, least: Number(least), most: upper }
}

const atom =
  /\\(?:[dDwWsStnrvf0]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|[pP]\{[^}]*\}|[^\w])|\[(?:\\.|[^\]\\])*\]|[^\\^$()|*+?{}[\]]/uy

function readAtom(reader: Reader): Piece {
  if (reader.text[reader.at] === '(') return readGroup(reader)
  atom.lastIndex = reader.at
  const source = atom.exec(reader.text)?.[0]
  if (source === undefined) throw unknown(reader)
  reader.at += source.length
  // One character at a time: nothing to go back to.
  const one = new RegExp(`^${source}$`, 'u')
  return { kind: 'atom', test: (character) => one.test(character) }
}

function readGroup(reader: Reader): Piece {
  const { text, at } = reader
  const isPlain = text.startsWith('(?:', at)
  if (!isPlain && text[at + 1] === '?') throw unknown(reader)
  reader.at += isPlain ? 3 : 1
  const inner = readChoice(reader)
  reader.at += 1
  return inner
}

function unknown({ text, at }: Reader): PatternFault {
  return new PatternFault(
    `${JSON.stringify(text.slice(at, at + 3))} is not among what a pattern may hold: characters, classes, groups, | and repetitions`,
  )
}

function compile(piece: Piece): readonly Step[] {
  const steps: Step[] = []
  emit(steps, piece)
  steps.push({ kind: 'end' })
  return steps
}

function emit(steps: Step[], piece: Piece): void {
  if (steps.length > mostSteps) throw new PatternFault('its repetitions make it too large')
  switch (piece.kind) {
    case 'atom':
      steps.push(piece)
      break
    case 'sequence':
      for (const each of piece.pieces) emit(steps, each)
      break
    case 'choice':
      emitChoice(steps, piece.options)
      break
    case 'repeat':
      emitRepeat(steps, piece)
  }
}

function emitChoice(steps: Step[], options: readonly Piece[]): void {
  const fork = steps.length
  const starts: number[] = []
  const ends: number[] = []
  steps.push({ kind: 'split', to: starts })
  for (const option of options) {
    starts.push(steps.length)
    emit(steps, option)
    ends.push(steps.length)
    steps.push({ kind: 'split', to: [] })
  }
  for (const end of ends) steps[end] = { kind: 'split', to: [steps.length] }
  steps[fork] = { kind: 'split', to: starts }
}

function emitRepeat(steps: Step[], { piece, least, most }: Extract<Piece, { kind: 'repeat' }>): void {
  if (most < least || Math.max(least, most === Infinity ? 0 : most) > mostSteps) {
    throw new PatternFault('its repetitions make it too large')
  }
  for (let count = 0; count < least; count += 1) emit(steps, piece)
  if (most === Infinity) {
    emitLoop(steps, piece)
    return
  }
  const exits: number[] = []
  for (let count = least; count < most; count += 1) {
    exits.push(steps.length)
    steps.push({ kind: 'split', to: [] })
    emit(steps, piece)
  }
  for (const exit of exits) steps[exit] = { kind: 'split', to: [exit + 1, steps.length] }
}

function emitLoop(steps: Step[], piece: Piece): void {
  const start = steps.length
  steps.push({ kind: 'split', to: [] })
  emit(steps, piece)
  steps.push({ kind: 'split', to: [start] })
  steps[start] = { kind: 'split', to: [start + 1, steps.length] }
}

/** All places at once where the value read so far may have led. */
function run(steps: readonly Step[], value: string): boolean {
  let places = reach(steps, [0])
  for (const character of value) {
    const next: number[] = []
    for (const place of places) {
      const step = steps[place]
      if (step?.kind === 'atom' && step.test(character)) next.push(place + 1)
    }
    if (next.length === 0) return false
    places = reach(steps, next)
  }
  return places.some((place) => steps[place]?.kind === 'end')
}

/** The steps that take a character or end, from these on. */
function reach(steps: readonly Step[], from: readonly number[]): readonly number[] {
  const seen = new Set<number>()
  const open = [...from]
  const found: number[] = []
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place)) continue
    seen.add(place)
    const step = steps[place]
    if (step?.kind === 'split') open.push(...step.to)
    else found.push(place)
  }
  return found
}
