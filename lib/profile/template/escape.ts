// The escapers `html`, `js` and `urlquery`, over bytes.
import { isPrintable, runeAt, type ByteString } from './bytes.ts'

const html: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\xef\xbf\xbd',
}

export function htmlEscaped(bytes: ByteString): ByteString {
  return bytes.replace(/["'&<>\0]/g, (character) => html[character] ?? character)
}

const js: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
}

export function jsEscaped(bytes: ByteString): ByteString {
  const parts: string[] = []
  for (let index = 0; index < bytes.length;) {
    const { code, size } = runeAt(bytes, index)
    parts.push(jsCharacter(code, bytes.slice(index, index + size)))
    index += size
  }
  return parts.join('')
}

function jsCharacter(code: number, bytes: ByteString): string {
  const escape = js[bytes]
  if (escape !== undefined) return escape
  const isPlain = code < 0x80 ? code >= 0x20 : isPrintable(code)
  return isPlain ? bytes : `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
}

export function urlQueryEscaped(bytes: ByteString): ByteString {
  return bytes.replace(/[^A-Za-z0-9\-_.~]/g, (byte) =>
    byte === ' ' ? '+' : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}
