// Go's literals: what a number, a character constant or a quoted string in an action stands for. undefined: it is none.
import { encodeRune, isScalar, runeAt, toBytes, type ByteString } from './bytes.ts'
import type { Value } from './values.ts'

const integerShape =
  /^([+-]?)(?:0[xX](_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|0[bB](_?[01]+(?:_[01]+)*)|0[oO]?((?:_?[0-7]+)+)|(0|[1-9](?:_?[0-9])*))$/
const smallestInt = -(2n ** 63n)
const largestInt = 2n ** 63n - 1n
const largestUint = 2n ** 64n - 1n

/** `overflow` is a number that parses but fits no value: Go finds out only when it is used. */
export function numberValue(text: string): Value | 'overflow' | undefined {
  if (text.endsWith('i')) return complexValue('0', text)
  const int = parseInteger(text)
  if (int !== undefined) {
    if (int >= smallestInt && int <= largestInt) return { kind: 'int', value: int }
    return int > 0n && int <= largestUint && !text.startsWith('+') ? 'overflow' : undefined
  }
  const float = /[.eEpP]/.test(text) ? parseFloatLiteral(text) : undefined
  return float === undefined ? undefined : { kind: 'float', value: float }
}

/** `1+2i`. */
export function complexPairValue(text: string): Value | undefined {
  const split = /^(.+?)(?<![eEpP])([+-].+)$/.exec(text)
  return split === null ? undefined : complexValue(split[1] ?? '', split[2] ?? '')
}

function complexValue(realText: string, imaginaryText: string): Value | undefined {
  const real = parseFloatLiteral(realText)
  const imaginary = parseFloatLiteral(imaginaryText.slice(0, -1))
  return real === undefined || imaginary === undefined ? undefined : { kind: 'complex', real, imaginary }
}

function parseInteger(text: string): bigint | undefined {
  const found = integerShape.exec(text)
  if (found === null) return undefined
  const [, sign, hex, binary, octal, decimal] = found
  const prefixed: readonly (readonly [string, string | undefined])[] = [
    ['0x', hex],
    ['0b', binary],
    ['0o', octal],
    ['', decimal],
  ]
  const [prefix, digits = ''] = prefixed.find(([, some]) => some !== undefined) ?? ['', '0']
  const magnitude = BigInt(prefix + withoutUnderscores(digits))
  return sign === '-' ? -magnitude : magnitude
}

/** undefined also for a number beyond the range of a float64. */
function parseFloatLiteral(text: string): number | undefined {
  if (!areUnderscoresRight(text)) return undefined
  const digits = withoutUnderscores(text)
  const hex = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(digits)
  const value = hex === null ? parseDecimal(digits) : hexFloat(hex)
  return value !== undefined && Number.isFinite(value) ? value : undefined
}

function parseDecimal(digits: string): number | undefined {
  return /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(digits) ? Number(digits) : undefined
}

function hexFloat([, sign, whole = '', fraction = '', exponent = '0']: RegExpExecArray): number | undefined {
  if (whole + fraction === '') return undefined
  const scale = Number(exponent) - 4 * fraction.length
  const half = Math.trunc(scale / 2)
  const magnitude = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** half * 2 ** (scale - half)
  return sign === '-' ? -magnitude : magnitude
}

/** Underscores only between digits, or between a base prefix and a digit. */
function areUnderscoresRight(text: string): boolean {
  if (!text.includes('_')) return true
  const body = text.replace(/^[+-]/, '').replace(/^0[xXbBoO]/, '0')
  const digit = /^[+-]?0[xX]/.test(text) ? /[0-9a-fA-F]/ : /[0-9]/
  return [...body.matchAll(/_/g)].every(
    ({ index }) => digit.test(body[index - 1] ?? '') && digit.test(body[index + 1] ?? ''),
  )
}

function withoutUnderscores(text: string): string {
  return text.replaceAll('_', '')
}

/** The code point of `'a'` or `'\n'`. */
export function charValue(text: string): number | undefined {
  const bytes = toBytes(text.slice(1, -1))
  const unit = unescapeAt(bytes, 0, "'")
  return unit?.size === bytes.length ? unit.code : undefined
}

/** The bytes of `"…"`, escapes resolved. */
export function quotedString(text: string): ByteString | undefined {
  const bytes = toBytes(text.slice(1, -1))
  let result = ''
  for (let index = 0; index < bytes.length;) {
    const unit = unescapeAt(bytes, index, '"')
    if (unit === undefined) return undefined
    result += unit.isByte ? String.fromCharCode(unit.code) : encodeRune(unit.code)
    index += unit.size
  }
  return result
}

/** The bytes between back quotes; carriage returns do not count. */
export function rawString(text: string): ByteString {
  return toBytes(text.slice(1, -1).replaceAll('\r', ''))
}

interface Unit {
  readonly code: number
  readonly size: number
  /** One byte as it is, not a code point: `\xff`, `\377`. */
  readonly isByte: boolean
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
  '\\': 0x5c,
}
const numericEscapes: readonly (readonly [RegExp, number])[] = [
  [/^\\x([0-9a-fA-F]{2})/, 16],
  [/^\\u([0-9a-fA-F]{4})/, 16],
  [/^\\U([0-9a-fA-F]{8})/, 16],
  [/^\\([0-7]{3})/, 8],
]

function unescapeAt(bytes: ByteString, index: number, quote: string): Unit | undefined {
  const first = bytes[index]
  if (first === undefined || first === quote || first === '\n') return undefined
  if (first !== '\\') return { ...runeAt(bytes, index), isByte: false }
  const next = bytes[index + 1] ?? ''
  if (next === quote) return { code: quote.charCodeAt(0), size: 2, isByte: false }
  const simple = Object.hasOwn(simpleEscapes, next) ? simpleEscapes[next] : undefined
  return simple === undefined
    ? numericEscape(bytes.slice(index, index + 10))
    : { code: simple, size: 2, isByte: false }
}

function numericEscape(text: ByteString): Unit | undefined {
  for (const [shape, base] of numericEscapes) {
    const found = shape.exec(text)
    if (found === null) continue
    const code = parseInt(found[1] ?? '', base)
    const isByte = base === 8 || text[1] === 'x'
    const isRight = isByte ? code < 0x100 : isScalar(code)
    return isRight ? { code, size: found[0].length, isByte } : undefined
  }
  return undefined
}
