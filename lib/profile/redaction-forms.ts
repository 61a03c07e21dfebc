// Every form in which a program may print a secret: as it is, quoted by a shell, encoded for a URL, JSON or base64.
import { shortSecretBytes } from './join-secret.ts'
import { shellQuote } from './shell-quote.ts'

/** What to hide, as bytes (one character each), longest first. */
export interface RedactionForm {
  readonly bytes: string
  /** Hidden only where no letter, digit or underscore touches it: short values are parts of innocent words. */
  readonly isWord: boolean
}

/** Less than this of base64 says too little to be worth hiding wherever it occurs. */
const shortestInnerBase64 = 8

export function redactionForms(secrets: readonly string[]): readonly RedactionForm[] {
  const all = new Set(secrets.filter((secret) => secret.trim() !== '').flatMap(formsOf))
  return [...all]
    .map((bytes) => ({ bytes, isWord: bytes.length < shortSecretBytes }))
    .sort((a, b) => b.bytes.length - a.bytes.length)
}

function formsOf(secret: string): readonly string[] {
  // A file's last newline is seldom printed with its value.
  const values = new Set([secret, secret.replace(/[\r\n]+$/, '')])
  return [...values].flatMap((value) => [
    ...[value, ...quotedForms(value), ...urlForms(value)].map(toBytes),
    ...base64Forms(Buffer.from(value)),
    ...lineForms(value),
  ])
}

/** A program that prints line by line, or a prefix before each line, never prints the whole value. */
function lineForms(value: string): readonly string[] {
  const lines = value.split(/\r?\n/)
  return lines.length < 2
    ? []
    : lines.map((line) => toBytes(line.trim())).filter((line) => line.length >= shortSecretBytes)
}

/** Insides of the quotes that bash writes when it traces or prints a word, and those of JSON. */
function quotedForms(value: string): readonly string[] {
  return [
    shellQuote(value).slice(1, -1),
    ansiQuoted(value),
    value.replace(/[\\"$`]/g, '\\$&'),
    value.replace(/[^A-Za-z0-9_@%+=:,./\-\u0080-\uffff]/g, '\\$&'),
    JSON.stringify(value).slice(1, -1),
  ]
}

const ansiEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\x07': '\\a',
  '\b': '\\b',
  '\x1b': '\\E',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Inside of $'…'. */
function ansiQuoted(value: string): string {
  return value.replace(
    // eslint-disable-next-line no-control-regex -- control characters are what this form is about
    /[\\'\x00-\x1f\x7f]/g,
    (character) => ansiEscapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
}

/** With escapes in either case, a space as %20 or +, with or without the marks that may stand as they are. */
function urlForms(value: string): readonly string[] {
  const path = encodeURIComponent(value.toWellFormed())
  const strict = path.replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  const upper = [
    path,
    strict,
    strict.replaceAll('%20', '+'),
    strict.replaceAll('%7E', '~').replaceAll('%20', '+'),
  ]
  return [...upper, ...upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()))]
}

/**
 * The value's own base64, and what can be told of it inside the base64 of a longer text: its first byte may stand at three
 * positions of a group, and the characters at its edges also depend on its neighbors.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  const own = bytes.toString('base64')
  const inner = [0, 1, 2]
    .map((shift) => {
      const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
      return encoded.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6))
    })
    .filter((text) => text.length >= shortestInnerBase64)
  const standard = [own, own.replace(/=+$/, ''), ...inner, ...wrapped(own)]
  return [...standard, ...standard.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))]
}

/** In lines, as base64 and openssl print it. */
function wrapped(base64: string): readonly string[] {
  return [76, 64].flatMap((width) => {
    const lines = base64.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
    return lines.length < 2 ? [] : lines.filter((line) => line.length >= shortestInnerBase64)
  })
}

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}
