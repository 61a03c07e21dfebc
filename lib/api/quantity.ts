// Kubernetes quantities, exact to the nano as in Go. An amount is a bigint of nano units: 1 CPU is 1_000_000_000n.
//
// Quirks of the Go parser, and what is done here:
//   `Gi` alone     accepted, as 0, like any suffix alone: an API server stores pods that say it, and refusing it would lose
//                  the whole pod. (Our CRDs refuse it: the pattern that all CRDs use asks for a digit.)
//   `1.`, `+5`     accepted; the canonical form keeps them as written. Go keeps any text that is short, not padded with
//                  zeros at the end and on a scale of thousands (see `isKeptAsWritten`), and so does this.
//   2^63 and more  decimal amounts are kept exactly, binary ones capped at 2^63-1; `wholeUnits` wraps as Go's Value().
//   less than 1n   rounded away from zero.
import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import { celRules, intOrString } from './crd-meta.ts'

export type QuantityFormat = 'DecimalSI' | 'DecimalExponent' | 'BinarySI'

export interface ParsedQuantity {
  readonly nanos: bigint
  readonly format: QuantityFormat
  /** Present where the canonical form is the text as it was written. */
  readonly keptText?: string
}

const grammar = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]+)?$/
const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const decimalSuffixes = new Map(Object.entries(decimalExponents).map(([suffix, power]) => [power, suffix]))
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const nano = 1_000_000_000n
const largest = (2n ** 63n - 1n) * nano

/** Throws SpecError (QuantityInvalid). */
export function parseQuantity(text: string): ParsedQuantity {
  const parsed = tryParseQuantity(text)
  if (parsed === undefined) {
    throw new SpecError(
      `Cannot read the quantity "${text}": it is not a number with an optional suffix, ` +
        'write it as 2, 500m, 8Gi or 1e3',
      { reason: 'QuantityInvalid' },
    )
  }
  return parsed
}

/** Far more digits than any amount has; what is longer takes longer to read than to write. */
const longestText = 256

export function tryParseQuantity(text: string): ParsedQuantity | undefined {
  const match = text.length > longestText ? null : grammar.exec(text)
  if (match === null || /^[+-]?\.?$/.test(text)) return undefined
  const [, sign, integer = '', fraction = '', suffix = ''] = match
  const digits = integer.replace(/^0+(?=.)/, '').padStart(1, '0') + fraction
  const scaled = scale(BigInt(digits), suffix, fraction.length)
  if (scaled === undefined) return undefined
  const { format } = scaled
  const nanos = sign === '-' ? -scaled.nanos : scaled.nanos
  return { nanos, format, ...(isKeptAsWritten(digits, scaled) ? { keptText: text } : {}) }
}

interface Scaled {
  readonly nanos: bigint
  readonly format: QuantityFormat
  /** Of ten for the last digit written, in decimal formats; of 1024 in binary. */
  readonly power: number
  readonly hasFraction: boolean
}

/** undefined for an exponent that no amount of resources has. */
function scale(digits: bigint, suffix: string, fractionLength: number): Scaled | undefined {
  const hasFraction = fractionLength > 0
  const binary = binarySuffixes.indexOf(suffix)
  if (binary > 0) {
    const nanos = divideAwayFromZero(digits * 1024n ** BigInt(binary) * nano, 10n ** BigInt(fractionLength))
    const isBelowOne = nanos > 0n && nanos < nano
    const format = isBelowOne ? 'DecimalSI' : 'BinarySI'
    return { nanos: nanos > largest ? largest : nanos, format, power: binary, hasFraction }
  }
  const isExponent = /^[eE][+-]?[0-9]/.test(suffix)
  const exponent = isExponent ? Number(suffix.slice(1)) : (decimalExponents[suffix] ?? 0)
  if (Math.abs(exponent) > 1000) return undefined
  const power = exponent - fractionLength
  const format = isExponent ? 'DecimalExponent' : 'DecimalSI'
  return { nanos: digits === 0n ? 0n : shift(digits, power + 9), format, power, hasFraction }
}

function shift(digits: bigint, power: number): bigint {
  return power >= 0 ? digits * 10n ** BigInt(power) : divideAwayFromZero(digits, 10n ** BigInt(-power))
}

function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  if (dividend % divisor === 0n) return quotient
  return dividend < 0n ? quotient - 1n : quotient + 1n
}

/** Go skips formatting where the text looks canonical already; a few texts that are not slip through. */
function isKeptAsWritten(digits: string, { nanos, format, power, hasFraction }: Scaled): boolean {
  if (nanos === 0n) return false
  if (format === 'BinarySI') {
    return !hasFraction && digits.length + 3 * power < 15 && BigInt(digits) % 8n !== 0n
  }
  const isShort = digits.length <= 18 && power >= -9
  return isShort && power % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
}

/** The text that the API server shows for a quantity. Throws SpecError. */
export function canonicalQuantity(text: string): string {
  const { keptText, nanos, format } = parseQuantity(text)
  return keptText ?? formatQuantity(nanos, format)
}

/** Shortest text of an amount in the wanted format; binary falls back to decimal where it would lose something. */
export function formatQuantity(nanos: bigint, format: QuantityFormat): string {
  if (nanos === 0n) return '0'
  const size = nanos < 0n ? -nanos : nanos
  if (format === 'BinarySI' && size >= 1024n * nano && size % nano === 0n) return formatBinary(nanos / nano)
  return formatDecimal(nanos, format === 'DecimalExponent')
}

function formatBinary(units: bigint): string {
  let [rest, power] = [units, 0]
  while (rest % 1024n === 0n && power < binarySuffixes.length - 1) {
    rest /= 1024n
    power += 1
  }
  return `${rest}${binarySuffixes[power] ?? ''}`
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let [rest, power] = [nanos, -9]
  while (rest % 1000n === 0n && (power < 18 || asExponent)) {
    rest /= 1000n
    power += 3
  }
  if (asExponent) return power === 0 ? `${rest}` : `${rest}e${power}`
  return `${rest}${decimalSuffixes.get(power) ?? ''}`
}

/** Whole units, rounded away from zero; beyond int64 it wraps, as Go's Value() does. To decide, compare amounts. */
export function wholeUnits(text: string): bigint {
  return BigInt.asIntN(64, divideAwayFromZero(parseQuantity(text).nanos, nano))
}

/** Thousandths, rounded away from zero. */
export function milliUnits(text: string): bigint {
  return BigInt.asIntN(64, divideAwayFromZero(parseQuantity(text).nanos, nano / 1000n))
}

/** Negative, zero or positive, as the first is below, equal to or above the second. Throws SpecError. */
export function compareQuantities(a: string, b: string): number {
  const difference = parseQuantity(a).nanos - parseQuantity(b).nanos
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Keeps the format of the first operand, unless that is zero. Throws SpecError. */
export function addQuantities(a: string, b: string): string {
  return combine(a, b, (x, y) => x + y)
}

export function subtractQuantities(a: string, b: string): string {
  return combine(a, b, (x, y) => x - y)
}

function combine(a: string, b: string, operation: (x: bigint, y: bigint) => bigint): string {
  const [first, second] = [parseQuantity(a), parseQuantity(b)]
  const format = first.nanos === 0n ? second.format : first.format
  return formatQuantity(operation(first.nanos, second.nanos), format)
}

/** A quantity as text; an integer from YAML becomes its text. */
export const Quantity = z
  .union([z.string(), z.int()])
  .transform(String)
  .refine((text) => tryParseQuantity(text) !== undefined, 'must be a quantity such as 2, 500m or 8Gi')
  .meta(intOrString)
export type Quantity = string

const notPositive = 'must be more than zero'

export const PositiveQuantity = Quantity.refine((text) => isPositive(text), notPositive).meta(
  celRules({
    rule: "type(self) == int ? self > 0 : quantity(self).isGreaterThan(quantity('0'))",
    message: notPositive,
  }),
)

function isPositive(text: string): boolean {
  const parsed = tryParseQuantity(text)
  return parsed === undefined || parsed.nanos > 0n
}
