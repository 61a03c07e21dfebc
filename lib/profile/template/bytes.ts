// Go strings are bytes; ours are UTF-16. Inside the engine a string has one character per byte, so that lengths, indexes,
// slices and the order of map keys come out as in Go.

/** Characters 0 to 255, each one byte of UTF-8. */
export type ByteString = string

export const replacementRune = 0xfffd

export function toBytes(text: string): ByteString {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** undefined if the bytes are not UTF-8. */
export function fromBytes(bytes: ByteString): string | undefined {
  if (isAscii(bytes)) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined
  }
}

export interface Rune {
  readonly code: number
  /** Bytes it takes. */
  readonly size: number
  readonly isValid: boolean
}

const invalidRune: Rune = { code: replacementRune, size: 1, isValid: false }

/** Each length of a code point in UTF-8: which first bytes begin it, and the smallest that needs it. */
const shapes = [
  { size: 1, from: 0x00, to: 0x7f, smallest: 0 },
  { size: 2, from: 0xc2, to: 0xdf, smallest: 0x80 },
  { size: 3, from: 0xe0, to: 0xef, smallest: 0x800 },
  { size: 4, from: 0xf0, to: 0xf4, smallest: 0x10000 },
]

/** The code point that starts at `index`. A byte that starts none is U+FFFD of size 1. */
export function runeAt(bytes: ByteString, index: number): Rune {
  const first = bytes.charCodeAt(index)
  const shape = shapes.find(({ from, to }) => first >= from && first <= to)
  if (shape === undefined || index + shape.size > bytes.length) return invalidRune
  if (shape.size === 1) return { code: first, size: 1, isValid: true }
  let code = first & (0x7f >> shape.size)
  for (let offset = 1; offset < shape.size; offset += 1) {
    const next = bytes.charCodeAt(index + offset)
    if ((next & 0xc0) !== 0x80) return invalidRune
    code = (code << 6) | (next & 0x3f)
  }
  const isRight = code >= shape.smallest && isScalar(code)
  return isRight ? { code, size: shape.size, isValid: true } : invalidRune
}

export function runesOf(bytes: ByteString): readonly Rune[] {
  const runes: Rune[] = []
  for (let index = 0; index < bytes.length;) {
    const rune = runeAt(bytes, index)
    runes.push(rune)
    index += rune.size
  }
  return runes
}

export function runeCount(bytes: ByteString): number {
  return isAscii(bytes) ? bytes.length : runesOf(bytes).length
}

export function encodeRune(code: number): ByteString {
  return toBytes(String.fromCodePoint(isScalar(code) ? code : replacementRune))
}

/** What Go prints as it is: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(code: number): boolean {
  if (code < 0x80) return code >= 0x20 && code < 0x7f
  return isScalar(code) && /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(String.fromCodePoint(code))
}

export function isScalar(code: number): boolean {
  return code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false
  return true
}
