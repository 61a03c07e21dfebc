// The exact decimal value of a float64, and its rounding.

export interface Decimal {
  /** Without leading zeros; `0` for zero. */
  readonly digits: string
  /** The value is 0.digits times ten to this power. */
  readonly point: number
}

/** All digits of a finite value that is not negative. */
export function decimalOf(value: number): Decimal {
  const { mantissa, exponent } = binaryOf(value)
  if (mantissa === 0n) return { digits: '0', point: 1 }
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString()
    return { digits, point: digits.length }
  }
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString()
  return { digits, point: digits.length + exponent }
}

/** The fewest digits that read back as the same value. */
export function shortestDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 }
}

/** value = mantissa times two to the power of exponent. */
export function binaryOf(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 }
}

/** Half to even, after so many places behind the point or to so many significant digits. */
export function rounded(
  decimal: Decimal,
  to: { readonly after: number } | { readonly significant: number },
): Decimal {
  const keep = 'after' in to ? decimal.point + to.after : to.significant
  if (keep >= decimal.digits.length) return decimal
  if (keep < 0) return { digits: '0', point: 1 }
  const kept = decimal.digits.slice(0, keep)
  const rest = decimal.digits.slice(keep)
  const isTie = /^50*$/.test(rest)
  const isLastOdd = Number(kept.at(-1) ?? '0') % 2 === 1
  const isUp = isTie ? isLastOdd : rest >= '5'
  const next = isUp ? (BigInt(kept || '0') + 1n).toString() : kept
  if (next === '' || /^0+$/.test(next)) return { digits: '0', point: 1 }
  return { digits: next, point: decimal.point + next.length - kept.length }
}
