const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Up to which age what is shown: one unit, or two while the second still says something. */
const forms: readonly (readonly [belowMs: number, unitMs: number, restMs?: number])[] = [
  [2 * minute, second],
  [10 * minute, minute, second],
  [3 * hour, minute],
  [8 * hour, hour, minute],
  [2 * day, hour],
  [8 * day, day, hour],
  [730 * day, day],
  [Number.POSITIVE_INFINITY, 365 * day],
]
const letters = new Map([
  [second, 's'],
  [minute, 'm'],
  [hour, 'h'],
  [day, 'd'],
  [365 * day, 'y'],
])

/** How long ago, as kubectl prints it. */
export function ageText(sinceMs: number, nowMs: number): string {
  const ageMs = nowMs - sinceMs
  // A clock that is a moment behind is no news.
  if (!(ageMs > -2 * second)) return '<invalid>'
  const form = forms.find(([belowMs]) => ageMs < belowMs)
  if (!form) return '<invalid>'
  const [, unitMs, restMs] = form
  const rest = restMs === undefined ? '' : counted((Math.max(0, ageMs) % unitMs) / restMs, restMs)
  return `${counted(Math.max(0, ageMs) / unitMs, unitMs) || `0${letters.get(unitMs) ?? ''}`}${rest}`
}

function counted(count: number, unitMs: number): string {
  const whole = Math.floor(count)
  return whole === 0 ? '' : `${String(whole)}${letters.get(unitMs) ?? ''}`
}
