// From when until when something signed is valid, as a command line says it.
import { parseInstantMs } from '../api/rfc3339.ts'
import { UsageError } from './command.ts'

export interface SigningSpan {
  readonly notBeforeMs: number
  readonly notAfterMs: number
  readonly serial: number
}

export interface SpanOptions {
  readonly notBefore?: string | undefined
  readonly notAfter?: string | undefined
  readonly serial?: string | undefined
}

/** Clocks differ: what is signed now is valid now. */
const leewayMs = 300_000
const defaultSpan = '30d'
const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }
const yearMs = 366 * 86_400_000
const longestMs = 100 * yearMs

/** Throws UsageError. */
export function parseSigningSpan(options: SpanOptions, nowMs: number): SigningSpan {
  const nowSeconds = Math.floor(nowMs / 1000)
  const notBeforeMs =
    options.notBefore === undefined
      ? nowSeconds * 1000 - leewayMs
      : instantOf('not-before', options.notBefore)
  const notAfterMs = endOf(options.notAfter ?? defaultSpan, notBeforeMs)
  if (options.notBefore === undefined && notAfterMs <= nowMs) {
    throw new UsageError(
      `Cannot sign: --not-after "${options.notAfter ?? ''}" is over already, give a time that comes, or a time span such as 30d`,
    )
  }
  if (notAfterMs <= notBeforeMs) {
    throw new UsageError('Cannot sign: --not-after is not later than --not-before, give a later one')
  }
  if (notAfterMs - notBeforeMs > longestMs) {
    throw new UsageError('Cannot sign: --not-after is more than a hundred years away, give an earlier one')
  }
  return { notBeforeMs, notAfterMs, serial: serialOf(options.serial, nowSeconds) }
}

function endOf(text: string, notBeforeMs: number): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,5})([hdw])$/.exec(text) ?? []
  const unitMs = unitsMs[unit]
  return unitMs === undefined ? instantOf('not-after', text) : notBeforeMs + Number(count) * unitMs
}

function instantOf(option: string, text: string): number {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$/
  const atMs = form.test(text) ? parseInstantMs(text) : undefined
  const isDay = atMs !== undefined && new Date(atMs).toISOString().startsWith(text.slice(0, 10))
  if (isDay) return atMs
  const span = option === 'not-after' ? ' or a time span such as 30d' : ''
  throw new UsageError(
    `Cannot use --${option} "${text}": it is no time, give 2026-12-30 or 2026-12-30T00:00:00Z${span}`,
  )
}

function serialOf(text: string | undefined, nowSeconds: number): number {
  if (text === undefined) return nowSeconds
  const serial = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN
  if (Number.isSafeInteger(serial)) return serial
  throw new UsageError(
    `Cannot use --serial "${text}": it must be a number from 1 to ${Number.MAX_SAFE_INTEGER}, without leading zeros`,
  )
}
