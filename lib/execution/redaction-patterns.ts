// Every form in which a script may print a secret: as it is, encoded, or quoted by a shell that traces. The host replaces
// them in whole lines, so a value of several lines is looked for line by line.

import { shellQuote } from '../profile/shell-quote.ts'

/** Below this length a value is only taken for a secret where it stands alone. */
const shortestAnywhere = 8
/** Below this length a part of a longer value says too little to be worth hiding everywhere. */
const shortestPart = 4

export interface RedactionPatterns {
  /** Replaced wherever they occur, longest first. */
  readonly anywhere: readonly string[]
  /** Replaced where no letter, digit or underscore touches them. */
  readonly words: readonly string[]
}

export function redactionPatterns(secrets: readonly string[]): RedactionPatterns {
  const anywhere = new Set<string>()
  const words = new Set<string>()
  for (const secret of secrets.filter((value) => value.trim() !== '')) {
    for (const form of formsOf(secret)) {
      if (form.length >= shortestAnywhere) anywhere.add(form)
      else if (form.length >= shortestPart || form === secret) words.add(form)
    }
  }
  words.delete('')
  return { anywhere: [...anywhere].sort(byLength), words: [...words].sort(byLength) }
}

function byLength(a: string, b: string): number {
  return b.length - a.length || (a < b ? -1 : 1)
}

function formsOf(secret: string): string[] {
  // A file's last newline is seldom printed with its value.
  const values = [...new Set([secret, secret.replace(/[\r\n]+$/, '')])]
  return [
    ...values.flatMap((value) => [...base64Forms(value), ...urlForms(value), ansiQuoted(value)]),
    ...secret.split(/\r?\n/).flatMap(quotedForms),
    JSON.stringify(secret).slice(1, -1),
  ]
}

/** As it is, and as shells print it: in single quotes, in double quotes, and as printf %q does. */
function quotedForms(line: string): string[] {
  return [
    line,
    shellQuote(line).slice(1, -1),
    line.replace(/[\\"$`]/g, '\\$&'),
    line.replace(/[^A-Za-z0-9_@%+=:,./\-\u0080-\uffff]/g, '\\$&'),
  ]
}

function urlForms(value: string): string[] {
  const path = encodeURIComponent(value.toWellFormed())
  const strict = path.replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  return [path, strict, strict.replaceAll('%20', '+')]
}

/** How bash prints a word with control characters when it traces: the inside of $'…'. */
function ansiQuoted(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')
}

/**
 * Base64 of the value at each of the three positions it may have in a longer text, without the edges that depend on its
 * neighbors; in both alphabets; cut into lines as `base64` prints them.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value)
  const inner = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const whole = Math.floor(((bytes.length + shift) * 8) / 6)
    return encoded.slice(shift === 0 ? 0 : shift + 1, whole)
  })
  const standard = [bytes.toString('base64'), ...inner]
  const url = standard.map((text) => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
  const wrapped = bytes.toString('base64').match(/.{1,76}/g) ?? []
  return [...standard, ...url, ...(wrapped.length > 1 ? wrapped : [])]
}
