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

/** Insides of the quotes that bash and programs write around a word, and what they write without quotes. */
function quotedForms(value: string): readonly string[] {
  return [
    shellQuote(value).slice(1, -1),
    // Inside of $'…', also as in the locale C, where every byte beyond ASCII is escaped.
    value.replace(/[\\']|\p{Cc}/gu, ansiEscape),
    toBytes(value).replace(/[\\']|[^ -~]/g, ansiEscape),
    value.replace(/[\\"$`]/g, '\\$&'),
    value.replaceAll('\\', '\\\\'),
    // What bash's printf %q escapes, which is a # or ~ only at the beginning; other shells escape all but plain words.
    value.replace(/[\t\n !"$&'()*,;<>?[\\\]^`{|}]|^[#~]/g, '\\$&'),
    value.replace(/[^A-Za-z0-9_@%+=:,./\-\u0080-\uffff]/g, '\\$&'),
    ...jsonForms(value),
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

function ansiEscape(character: string): string {
  return ansiEscapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

/** As most programs write it, as Go does, and in nothing but ASCII; a slash may be escaped in each. */
function jsonForms(value: string): readonly string[] {
  const plain = JSON.stringify(value).slice(1, -1)
  const escaped = (which: RegExp) => plain.replace(which, unicodeEscape)
  const ascii = escaped(/[\u0080-\uffff]/g)
  const all = [plain, escaped(/[<>&\u2028\u2029]/g), ascii, ascii.replace(/\\u[0-9a-f]{4}/g, upperEscape)]
  return [...all, ...all.map((text) => text.replaceAll('/', '\\/'))]
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function upperEscape(escape: string): string {
  return `\\u${escape.slice(2).toUpperCase()}`
}

/** Marks that encoders leave as they are: none, those of RFC 3986, of paths, of JavaScript and of Java. */
const safeMarks = ['', '~', '~/', "~!'()*", '*']

/** With escapes in either case, and a space as %20 or +. */
function urlForms(value: string): readonly string[] {
  const escaped = encodeURIComponent(value.toWellFormed()).replace(/[!'()*~]/g, percentEscape)
  const kept = safeMarks.map((marks) =>
    escaped.replace(/%[0-9A-F]{2}/g, (escape) => {
      const mark = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
      return marks.includes(mark) ? mark : escape
    }),
  )
  const upper = [...kept, ...kept.map((text) => text.replaceAll('%20', '+'))]
  return [...upper, ...upper.map((text) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()))]
}

function percentEscape(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`
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
