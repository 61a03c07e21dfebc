// Floats under a verb. The digits are exact: taken from the binary value, rounded half to even.
import { decimalOf, rounded, shortestDecimal, type Decimal } from './decimal.ts'
import type { ByteString } from './bytes.ts'
import type { Flags } from './flags.ts'
import { binaryFloat, hexFloat } from './format-binary-float.ts'
import { padded } from './padding.ts'

/** undefined: the verb is not for floats. */
export function formatFloat(value: number, verb: string, flags: Flags): ByteString | undefined {
  const digits = unsigned(Math.abs(value), verb, flags)
  if (digits === undefined) return undefined
  const isNegative = value < 0 || Object.is(value, -0)
  const sign = isNegative ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  if (flags.zero && sign !== '') {
    return sign + padded(digits, { ...flags, width: Math.max(0, flags.width - 1) })
  }
  return padded(sign + digits, flags)
}

function unsigned(value: number, verb: string, flags: Flags): string | undefined {
  switch (verb) {
    case 'v':
    case 'g':
    case 'G':
      return withCase(general(value, flags), verb)
    case 'f':
    case 'F':
      return fixed(rounded(decimalOf(value), { after: flags.precision ?? 6 }), flags.precision ?? 6, flags)
    case 'e':
    case 'E':
      return withCase(exponential(value, flags), verb)
    case 'b':
      return binaryFloat(value)
    case 'x':
    case 'X':
      return withCase(hexFloat(value, flags.precision, fewestHexDigits(verb, flags)), verb)
    default:
      return undefined
  }
}

/** `#` asks for a point, and with %x for digits behind it. */
function fewestHexDigits(verb: string, { sharp }: Flags): number | undefined {
  if (!sharp) return undefined
  return verb === 'x' ? 4 : 0
}

function withCase(text: string, verb: string): string {
  return verb === verb.toUpperCase() ? text.toUpperCase() : text
}

function exponential(value: number, flags: Flags): string {
  const precision = flags.precision ?? 6
  return scientific(rounded(decimalOf(value), { significant: precision + 1 }), precision, flags)
}

/** The shorter of both notations: an exponent for very small and very large numbers only. */
function general(value: number, flags: Flags): string {
  const isShortest = flags.precision === undefined
  const significant = Math.max(1, flags.precision ?? 1)
  const decimal = isShortest ? shortestDecimal(value) : rounded(decimalOf(value), { significant })
  const digits = decimal.digits.replace(/0+$/, '')
  const exponent = digits === '' ? 0 : decimal.point - 1
  const most = isShortest ? 6 : significant
  const kept = flags.sharp ? Math.max(digits.length, flags.precision ?? 6) : digits.length
  if (exponent < -4 || exponent >= most) {
    return scientific(decimal, Math.max(0, kept - 1), flags)
  }
  return fixed(decimal, Math.max(0, kept - decimal.point), flags)
}

function scientific({ digits, point }: Decimal, precision: number, { sharp }: Flags): string {
  const isZero = /^0*$/.test(digits)
  const exponent = isZero ? 0 : point - 1
  const text = digits.padEnd(precision + 1, '0').slice(0, precision + 1)
  const mantissa = text.slice(0, 1) + (precision > 0 ? `.${text.slice(1)}` : sharp ? '.' : '')
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function fixed({ digits, point }: Decimal, places: number, { sharp }: Flags): string {
  const whole = point > 0 ? digits.padEnd(point, '0').slice(0, point) : '0'
  const fraction = ('0'.repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point))).padEnd(places, '0')
  return whole + (places > 0 ? `.${fraction.slice(0, places)}` : sharp ? '.' : '')
}
