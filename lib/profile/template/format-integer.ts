// Integers under a verb.
import { encodeRune, isPrintable, type ByteString } from './bytes.ts'
import type { Flags } from './flags.ts'
import { padded } from './padding.ts'
import { quotedRune } from './quote.ts'
import type { Value } from './values.ts'

type Integer = Extract<Value, { readonly kind: 'int' | 'uint8' }>

const bases: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 }

/** undefined: the verb is not for integers. */
export function formatInteger(integer: Integer, verb: string, flags: Flags): ByteString | undefined {
  if (verb === 'c') return padded(encodeRune(codePoint(integer)), flags)
  if (verb === 'q') return padded(quotedRune(codePoint(integer), flags), flags)
  if (verb === 'U') return padded(unicodeName(integer, flags), { ...flags, zero: false })
  if (verb === 'v' && flags.goSyntax && integer.kind === 'uint8') {
    return digitsOf(integer, 'x', { ...flags, sharp: true })
  }
  return Object.hasOwn(bases, verb) ? digitsOf(integer, verb, flags) : undefined
}

function codePoint({ value }: Integer): number {
  return value >= 0n && value <= 0x10ffffn ? Number(value) : -1
}

function digitsOf({ value }: Integer, verb: string, flags: Flags): ByteString {
  const magnitude = (value < 0n ? -value : value).toString(bases[verb] ?? 10)
  if (flags.precision === 0 && value === 0n) return ' '.repeat(flags.width)
  const sign = value < 0n ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  // Zeros up to the width only where no precision says how many digits there are.
  const fewest = flags.precision ?? (flags.zero ? flags.width - sign.length : 0)
  const digits = magnitude.padStart(fewest, '0')
  const text = sign + prefixOf(verb, digits, flags) + digits
  return padded(verb === 'X' ? text.toUpperCase() : text, { ...flags, zero: false })
}

function prefixOf(verb: string, digits: string, { sharp }: Flags): string {
  if (verb === 'O') return sharp && !digits.startsWith('0') ? '0o0' : '0o'
  if (!sharp) return ''
  if (verb === 'o') return digits.startsWith('0') ? '' : '0'
  return verb === 'b' ? '0b' : verb === 'x' || verb === 'X' ? '0x' : ''
}

function unicodeName({ value }: Integer, { sharp, precision }: Flags): ByteString {
  const digits = BigInt.asUintN(64, value).toString(16).toUpperCase()
  const name = `U+${digits.padStart(Math.max(4, precision ?? 0), '0')}`
  const code = Number(value)
  return sharp && code >= 0 && isPrintable(code) ? `${name} '${encodeRune(code)}'` : name
}
