// Standard cron, five fields and the @names, in UTC. Only one question is asked of it: was there a hit in a window?
import { SpecError } from '../errors/spec-error.ts'

export interface CronSchedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly daysOfMonth: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly daysOfWeek: ReadonlySet<number>
  /** Both day fields restrict: then either may match, as cron has it. */
  readonly isEitherDay: boolean
}

interface Field {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly words: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const fields = {
  minute: { name: 'minute', least: 0, most: 59, words: [] },
  hour: { name: 'hour', least: 0, most: 23, words: [] },
  dayOfMonth: { name: 'day of month', least: 1, most: 31, words: [] },
  month: { name: 'month', least: 1, most: 12, words: months },
  dayOfWeek: { name: 'day of week', least: 0, most: 6, words: days },
} as const satisfies Record<string, Field>

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const dayMs = 86_400_000
/** 29 February on a certain weekday comes every 28 years; nobody keeps a budget that long. */
const maxDays = 366 * 5

/** Throws SpecError (ScheduleInvalid). */
export function parseCron(text: string): CronSchedule {
  const parts = (nicknames[text] ?? text).trim().split(/\s+/)
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = parts
  if (parts.length !== 5) throw invalid(text, `it has ${parts.length} fields, five are needed`)
  return {
    minutes: parseField(minute, fields.minute, text),
    hours: parseField(hour, fields.hour, text),
    daysOfMonth: parseField(dayOfMonth, fields.dayOfMonth, text),
    months: parseField(month, fields.month, text),
    daysOfWeek: parseField(dayOfWeek, fields.dayOfWeek, text),
    isEitherDay: isRestricted(dayOfMonth) && isRestricted(dayOfWeek),
  }
}

/** Whether the schedule hits at any minute later than `afterMs` and not later than `untilMs`. */
export function hasHit(schedule: CronSchedule, afterMs: number, untilMs: number): boolean {
  const lastDay = Math.floor(untilMs / dayMs)
  const firstDay = Math.max(Math.floor(afterMs / dayMs), lastDay - maxDays)
  for (let day = lastDay; day >= firstDay; day -= 1) {
    if (!isDayOf(schedule, new Date(day * dayMs))) continue
    for (const hour of schedule.hours) {
      for (const minute of schedule.minutes) {
        const atMs = day * dayMs + (hour * 60 + minute) * 60_000
        if (atMs > afterMs && atMs <= untilMs) return true
      }
    }
  }
  return false
}

function isDayOf(schedule: CronSchedule, date: Date): boolean {
  if (!schedule.months.has(date.getUTCMonth() + 1)) return false
  const isDayOfMonth = schedule.daysOfMonth.has(date.getUTCDate())
  const isDayOfWeek = schedule.daysOfWeek.has(date.getUTCDay())
  return schedule.isEitherDay ? isDayOfMonth || isDayOfWeek : isDayOfMonth && isDayOfWeek
}

function isRestricted(text: string): boolean {
  return text !== '*' && text !== '?'
}

function parseField(text: string, field: Field, whole: string): ReadonlySet<number> {
  return new Set(text.split(',').flatMap((part) => parsePart(part, field, whole)))
}

function parsePart(part: string, field: Field, whole: string): readonly number[] {
  const match = /^(\*|\?|[0-9a-z]+(?:-[0-9a-z]+)?)(?:\/([0-9]{1,4}))?$/i.exec(part)
  if (match === null) throw invalid(whole, `"${part}" is no ${field.name}`)
  const [, range = '', stepText] = match
  const step = Number(stepText ?? '1')
  const { first, last } = parseRange(range, { field, whole, isOpen: stepText !== undefined })
  if (step < 1 || first > last) throw invalid(whole, `"${part}" is an empty ${field.name}`)
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step)
}

/** `isOpen`: a single value with a step goes on to the end of the field. */
function parseRange(
  range: string,
  { field, whole, isOpen }: { readonly field: Field; readonly whole: string; readonly isOpen: boolean },
): { readonly first: number; readonly last: number } {
  if (!isRestricted(range)) return { first: field.least, last: field.most }
  const [low = '', high] = range.split('-')
  const first = numberOf(low, field, whole)
  if (high !== undefined) return { first, last: numberOf(high, field, whole) }
  return { first, last: isOpen ? field.most : first }
}

function numberOf(text: string, field: Field, whole: string): number {
  const word = field.words.indexOf(text.toLowerCase())
  const value = word >= 0 ? field.least + word : /^[0-9]{1,2}$/.test(text) ? Number(text) : NaN
  if (value >= field.least && value <= field.most) return value
  throw invalid(whole, `"${text}" is no ${field.name} from ${field.least} to ${field.most}`)
}

function invalid(text: string, why: string): SpecError {
  return new SpecError(`Cannot read the schedule "${text}": ${why}`, { reason: 'ScheduleInvalid' })
}
