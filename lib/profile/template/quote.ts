// Quoted strings and characters, as %q writes them.
import { encodeRune, isPrintable, isScalar, replacementRune, runesOf, type ByteString } from './bytes.ts'
import type { Flags } from './flags.ts'

const escapes: Readonly<Record<number, string>> = {
  0x07: '\\a',
  0x08: '\\b',
  0x0c: '\\f',
  0x0a: '\\n',
  0x0d: '\\r',
  0x09: '\\t',
  0x0b: '\\v',
  0x5c: '\\\\',
}

/** In back quotes if the flags ask for it and the text allows it. */
export function quotedBytes(bytes: ByteString, flags: Pick<Flags, 'sharp' | 'plus'>): ByteString {
  if (flags.sharp && canBackquote(bytes)) return `\`${bytes}\``
  let index = 0
  const parts = runesOf(bytes).map(({ code, size, isValid }) => {
    const byte = bytes.charCodeAt(index)
    index += size
    return isValid ? escaped(code, '"', flags.plus) : `\\x${byte.toString(16).padStart(2, '0')}`
  })
  return `"${parts.join('')}"`
}

export function quotedRune(code: number, { plus }: Pick<Flags, 'plus'>): ByteString {
  return `'${escaped(isScalar(code) ? code : replacementRune, "'", plus)}'`
}

function escaped(code: number, quote: string, isAscii: boolean): ByteString {
  if (code === quote.charCodeAt(0)) return `\\${quote}`
  const simple = escapes[code]
  if (simple !== undefined) return simple
  if (isPrintable(code) && (code < 0x80 || !isAscii)) return encodeRune(code)
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`
}

/** One line of valid text without control characters (tab is none) or back quotes. */
function canBackquote(bytes: ByteString): boolean {
  return runesOf(bytes).every(
    ({ code, isValid }) =>
      isValid && code !== 0xfeff && code !== 0x60 && code !== 0x7f && (code >= 0x20 || code === 0x09),
  )
}
