const suffixes: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 10n ** 3n,
  m: 10n ** 6n,
  '': 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  G: 10n ** 18n,
  T: 10n ** 21n,
  P: 10n ** 24n,
  E: 10n ** 27n,
  Ki: 10n ** 9n * 2n ** 10n,
  Mi: 10n ** 9n * 2n ** 20n,
  Gi: 10n ** 9n * 2n ** 30n,
  Ti: 10n ** 9n * 2n ** 40n,
  Pi: 10n ** 9n * 2n ** 50n,
  Ei: 10n ** 9n * 2n ** 60n,
}
const shape = /^([+-]?)(\d{1,30})?(?:\.(\d{0,30}))?([eE][+-]?\d{1,2}|[KMGTPE]i|[numkMGTPE])?$/

/** A Kubernetes quantity in billionths, rounded up as Kubernetes rounds; undefined for what is none. */
export function parseQuantity(text: string): bigint | undefined {
  const [matched, sign = '', whole = '', fraction = '', suffix = ''] = shape.exec(text) ?? []
  if (matched === undefined || whole + fraction === '') return undefined
  const exponent = /^[eE]/.test(suffix) ? Number(suffix.slice(1)) : undefined
  const unit = exponent === undefined ? (suffixes[suffix] ?? 1n) : 10n ** 9n
  const scaled = BigInt(whole + fraction) * unit * 10n ** BigInt(Math.max(exponent ?? 0, 0))
  const divisor = 10n ** BigInt(fraction.length + Math.max(-(exponent ?? 0), 0))
  const nano = (scaled + divisor - 1n) / divisor
  return sign === '-' ? -nano : nano
}
