// What a host or a cluster said, made fit for a terminal: a control sequence in it must not move the cursor, retitle the
// window or hide what was printed before.

/** Keeps line breaks and tabs; every other control character becomes visible. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are the characters that must not reach a terminal
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, visible)
}

/** On one line. */
export function printableLine(text: string): string {
  const lines = printable(text).split('\n')
  return lines.length < 2 ? (lines[0] ?? '') : lines.flatMap((line) => line.trim() || []).join(' | ')
}

/** Further lines start below the first one. */
export function indented(text: string, columns: number): string {
  return printable(text).replace(/\n/g, `\n${' '.repeat(columns)}`)
}

function visible(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
