// Durations as Go reads them. Our fields and Karpenter's take whole hours, minutes and seconds only; the annotation
// do-not-disrupt takes all of Go's syntax.
import { z } from 'zod'
import { SpecError } from '../errors/spec-error.ts'
import { celRules } from './crd-meta.ts'

export const durationPattern = /^([0-9]+(s|m|h))+$/

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const component = /([0-9]+|(?=\.[0-9]))(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/g
/** Go counts nanoseconds in an int64: about 292 years. */
const largestNanos = 2n ** 63n - 1n

/** `90s`, `10m`, `1h30m` to milliseconds. Throws SpecError (DurationInvalid, DurationOverflow). */
export function parseDurationMs(text: string): number {
  if (!durationPattern.test(text)) {
    throw new SpecError(
      `Cannot read the duration "${text}": it is not whole hours, minutes and seconds, write it as 90s, 10m or 1h30m`,
      { reason: 'DurationInvalid' },
    )
  }
  return parseGoDurationMs(text)
}

/** Any duration of Go's syntax, `1.5h` and `-5m` included, to milliseconds. Throws SpecError. */
export function parseGoDurationMs(text: string): number {
  const nanos = sumNanos(text)
  if (nanos === undefined) {
    throw new SpecError(
      `Cannot read the duration "${text}": it is not a number with a unit, write it as 90s, 10m or 1.5h`,
      { reason: 'DurationInvalid' },
    )
  }
  if (nanos > largestNanos) {
    throw new SpecError(`Cannot use the duration "${text}": it overflows, the longest is 2562047h47m16s`, {
      reason: 'DurationOverflow',
    })
  }
  return (text.startsWith('-') ? -1 : 1) * (Number(nanos) / 1e6)
}

/** Without the sign; undefined where the text is not a duration. */
function sumNanos(text: string): bigint | undefined {
  const unsigned = text.replace(/^[+-]/, '')
  if (unsigned === '0') return 0n
  const components = [...unsigned.matchAll(component)]
  const isComplete = unsigned !== '' && components.map(([whole]) => whole).join('') === unsigned
  return isComplete ? components.reduce((total, match) => total + componentNanos(match), 0n) : undefined
}

function componentNanos([, integer = '', fraction = '', unit = '']: RegExpExecArray): bigint {
  const scale = unitNanos[unit] ?? 0n
  return (BigInt(`${integer}${fraction}`) * scale) / 10n ** BigInt(fraction.length)
}

function fitsGoDuration(text: string): boolean {
  return !durationPattern.test(text) || (sumNanos(text) ?? 0n) <= largestNanos
}

const overflow = 'the duration overflows: the longest is 2562047h47m16s'

/** Hours, minutes and seconds of a total that Go can count. */
export const Duration = z
  .string()
  .regex(durationPattern)
  .refine(fitsGoDuration, overflow)
  // Where duration() itself fails on overflow, the rule is reported with its message all the same.
  .meta(celRules({ rule: "duration(self) <= duration('2562047h47m16s')", message: overflow }))
export type Duration = string

/** `Never` to Infinity; otherwise milliseconds. Throws SpecError. */
export function parseDurationOrNeverMs(text: string): number {
  return text === 'Never' ? Infinity : parseDurationMs(text)
}
