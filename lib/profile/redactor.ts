// Hides secrets in output, also where a value is split over two chunks. Everything that any form of a secret covers is
// hidden, overlapping forms included; what may still become one is held back, and nothing else is.
import type { RedactionForm } from './redaction-forms.ts'

export const redactionMark = '[REDACTED]'

export interface Redactor {
  /** What of everything so far can be shown. */
  push(chunk: Uint8Array): Uint8Array
  /** The rest, when nothing follows. */
  flush(): Uint8Array
}

/** Must see the whole output before anything is cut from it: half a secret is no form of it. */
export function redactText(text: string, forms: readonly RedactionForm[]): string {
  const redactor = makeRedactor(forms)
  return Buffer.concat([redactor.push(Buffer.from(text)), redactor.flush()]).toString()
}

/** `forms` must be longest first, as redactionForms gives them. */
export function makeRedactor(forms: readonly RedactionForm[]): Redactor {
  const formsByFirst = Map.groupBy(forms, ({ bytes }) => bytes[0])
  let held = ''
  /** So many bytes of `held` belong to something that is hidden already. */
  let covered = 0
  let before = ''

  function advance(isLast: boolean): Uint8Array {
    const shown: string[] = []
    let position = 0
    let plainFrom = covered
    for (; position < held.length; position += 1) {
      const candidates = formsByFirst.get(held[position]) ?? []
      const length = matchAt({ text: held, position, before, isLast }, candidates)
      if (length === 'undecided') break
      if (length === 0) continue
      if (position >= covered) shown.push(held.slice(plainFrom, position), redactionMark)
      covered = Math.max(covered, position + length)
      plainFrom = covered
    }
    if (plainFrom < position) shown.push(held.slice(plainFrom, position))
    before = position > 0 ? (held[position - 1] ?? '') : before
    held = held.slice(position)
    covered = Math.max(0, covered - position)
    return Buffer.from(shown.join(''), 'latin1')
  }

  return {
    push(chunk) {
      held += Buffer.from(chunk).toString('latin1')
      return advance(false)
    },
    flush: () => advance(true),
  }
}

interface Place {
  readonly text: string
  readonly position: number
  /** The byte before the text. */
  readonly before: string
  /** Nothing follows the text. */
  readonly isLast: boolean
}

/** Length of the longest form that stands here, 0 for none. */
function matchAt(place: Place, candidates: readonly RedactionForm[]): number | 'undecided' {
  const { text, position, isLast } = place
  const rest = text.length - position
  for (const { bytes, isWord } of candidates) {
    const needed = bytes.length + (isWord ? 1 : 0)
    if (needed > rest && !isLast) {
      const isBeginning = bytes.startsWith(text.slice(position, position + bytes.length))
      if (isBeginning && !(isWord && isTouchedBefore(place, bytes))) return 'undecided'
    } else if (text.startsWith(bytes, position) && !(isWord && isTouched(place, bytes))) {
      return bytes.length
    }
  }
  return 0
}

function isTouched(place: Place, bytes: string): boolean {
  const after = place.text[place.position + bytes.length] ?? ''
  return isTouchedBefore(place, bytes) || (isWordByte(bytes.at(-1)) && isWordByte(after))
}

function isTouchedBefore({ text, position, before }: Place, bytes: string): boolean {
  return isWordByte(bytes[0]) && isWordByte(position > 0 ? text[position - 1] : before)
}

function isWordByte(byte: string | undefined): boolean {
  return byte !== undefined && /^[A-Za-z0-9_]$/.test(byte)
}
