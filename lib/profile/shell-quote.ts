/** One word of a POSIX shell, whatever the value holds; a NUL byte is the caller's to refuse. */
export function shellQuote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`
}
