// %b and %x of floats: the binary value itself.
import { binaryOf } from './decimal.ts'

/** `4503599627370496p-52`. */
export function binaryFloat(value: number): string {
  const { mantissa, exponent } = binaryOf(value)
  return `${mantissa.toString()}p${signed(exponent)}`
}

/** `0x1.8p+01`. `fewest` digits behind a point that is always there, if given. */
export function hexFloat(value: number, precision: number | undefined, fewest: number | undefined): string {
  const { mantissa, exponent } = binaryOf(value)
  if (mantissa === 0n) return hexText('0', '0'.repeat(precision ?? 0), { power: 0, fewest })
  const bits = mantissa.toString(2).length
  // One bit before the point, 15 hexadecimal digits behind it.
  const exact = mantissa << BigInt(61 - bits)
  const scaled =
    precision === undefined || precision >= 15 ? exact : roundedBits(exact, BigInt(60 - 4 * precision))
  const isCarried = scaled >> 61n === 1n
  const fraction = ((isCarried ? scaled >> 1n : scaled) & ((1n << 60n) - 1n)).toString(16).padStart(15, '0')
  const digits =
    precision === undefined
      ? fraction.replace(/0+$/, '')
      : fraction.padEnd(precision, '0').slice(0, precision)
  return hexText('1', digits, { power: exponent + bits - (isCarried ? 0 : 1), fewest })
}

function hexText(
  whole: string,
  digits: string,
  { power, fewest }: { readonly power: number; readonly fewest: number | undefined },
): string {
  const fraction = digits.padEnd(fewest ?? 0, '0')
  const point = fraction === '' && fewest === undefined ? '' : '.'
  return `0x${whole}${point}${fraction}p${signed(power, 2)}`
}

/** Clears so many low bits, half to even. */
function roundedBits(value: bigint, drop: bigint): bigint {
  const unit = 1n << drop
  const rest = value & (unit - 1n)
  const floor = value - rest
  const isUp = rest * 2n > unit || (rest * 2n === unit && (floor >> drop) % 2n === 1n)
  return isUp ? floor + unit : floor
}

function signed(exponent: number, width = 0): string {
  return (exponent < 0 ? '-' : '+') + String(Math.abs(exponent)).padStart(width, '0')
}
