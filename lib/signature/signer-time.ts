const form = /^(\d{8}(?:\d{4}(?:\d{2})?)?)Z?$/

/**
 * `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, as ssh-keygen takes them. ssh-keygen reads a time without `Z` in the time
 * zone of its machine; here it is UTC, with or without. undefined for what is no time.
 */
export function parseSignerTimeMs(text: string): number | undefined {
  const digits = form.exec(text)?.[1]?.padEnd(14, '0')
  const written = digits?.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6') ?? ''
  const atMs = Date.parse(`${written}Z`)
  if (Number.isNaN(atMs) || atMs <= 0) return undefined
  // 30 February is read as a day of March.
  return new Date(atMs).toISOString().startsWith(written) ? atMs : undefined
}
