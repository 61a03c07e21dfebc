const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** `12s`, `5m`, `3h`, `2d`; `now` for less than a second, or for what another clock puts into the future. */
export function ago(atMs: number, nowMs: number): string {
  const age = nowMs - atMs
  const unit = units.find(([, ms]) => age >= ms)
  return unit === undefined ? 'now' : `${Math.floor(age / unit[1])}${unit[0]}`
}
