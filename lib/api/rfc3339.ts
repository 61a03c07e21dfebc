/** Whole seconds and `Z`, as API servers write instants. */
export function formatInstant(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.[0-9]+Z$/, 'Z')
}

/** undefined for an absent instant and for text that is none. */
export function parseInstantMs(text: string | undefined): number | undefined {
  const atMs = text === undefined ? NaN : Date.parse(text)
  return Number.isNaN(atMs) ? undefined : atMs
}
