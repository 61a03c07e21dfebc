/**
 * The end of a text, for messages: trimmed, at most `maxBytes` of UTF-8 behind an ellipsis that says that something is
 * missing. It starts with a whole line where more than one fits, and never within a character.
 */
export function tail(text: string, maxBytes: number): string {
  const trimmed = text.trim()
  const bytes = Buffer.from(trimmed)
  if (bytes.length <= maxBytes) return trimmed
  let start = bytes.length - maxBytes
  while (start < bytes.length && isContinuation(bytes[start])) start += 1
  const isAtLineStart = bytes[start - 1] === newline
  const nextLine = bytes.indexOf(newline, start) + 1
  return `…${bytes.subarray(!isAtLineStart && nextLine > 0 ? nextLine : start).toString()}`
}

const newline = 0x0a

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
