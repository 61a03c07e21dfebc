/** How long ago, as kubectl prints it: two units at most, the second only while it says something. */
export function ageText(sinceMs: number, nowMs: number): string {
  const seconds = Math.floor((nowMs - sinceMs) / 1000)
  if (!Number.isFinite(seconds)) return '<invalid>'
  if (seconds < 0) return seconds > -2 ? '0s' : '<invalid>'
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  if (seconds < 120) return `${String(seconds)}s`
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (hours < 3) return `${String(minutes)}m`
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${String(hours)}h`
  if (days < 8) return pair(days, 'd', hours % 24, 'h')
  if (days < 730) return `${String(days)}d`
  return `${String(Math.floor(days / 365))}y`
}

// eslint-disable-next-line max-params -- two numbers, each with its unit
function pair(first: number, firstUnit: string, second: number, secondUnit: string): string {
  const rest = second === 0 ? '' : `${String(second)}${secondUnit}`
  return `${String(first)}${firstUnit}${rest}`
}
