// One value under one verb, as Go's fmt writes it.
import { runesOf, type ByteString } from './bytes.ts'
import { plainFlags, type Flags } from './flags.ts'
import { formatFloat } from './format-float.ts'
import { formatInteger } from './format-integer.ts'
import { padded } from './padding.ts'
import { quotedBytes } from './quote.ts'
import { stringValue, typeOf, type Value } from './values.ts'

/** What an action writes: the join context as its fields, no value as words. */
export function printed(value: Value): ByteString {
  if (value.kind === 'nil') return '<no value>'
  return value.kind === 'context' ? formatFields(value, 'v', plainFlags) : formatValue(value, 'v', plainFlags)
}

/** A space between two values of which neither is a string. */
export function printedAll(values: readonly Value[]): ByteString {
  return joined(values.map((value) => [value, formatValue(value, 'v', plainFlags)]))
}

/** The same, each value as an action would write it. */
export function printedPlainly(values: readonly Value[]): ByteString {
  return joined(values.map((value) => [value.kind === 'nil' ? stringValue('') : value, printed(value)]))
}

function joined(parts: readonly (readonly [Value, ByteString])[]): ByteString {
  return parts
    .map(([value, text], index) => {
      const before = parts[index - 1]?.[0].kind ?? 'string'
      return before !== 'string' && value.kind !== 'string' ? ` ${text}` : text
    })
    .join('')
}

export function printedLine(values: readonly Value[]): ByteString {
  return `${values.map((value) => formatValue(value, 'v', plainFlags)).join(' ')}\n`
}

export function formatValue(value: Value, verb: string, flags: Flags): ByteString {
  if (value.kind === 'nil') return verb === 'v' || verb === 'T' ? padded('<nil>', flags) : `%!${verb}(<nil>)`
  if (verb === 'T') return formatString(typeOf(value), 's', flags)
  // %p would print an address, which would differ from one rendering to the next.
  if (verb === 'p') return badVerb(value, verb, flags)
  if (verb === 'w' && (value.kind === 'map' || value.kind === 'context')) return badVerb(value, verb, flags)
  return value.kind === 'context' ? `&${formatFields(value, verb, flags)}` : formatPlain(value, verb, flags)
}

type Plain = Exclude<Value, { readonly kind: 'nil' | 'context' }>

function formatPlain(value: Plain, verb: string, flags: Flags): ByteString {
  switch (value.kind) {
    case 'bool':
      return verb === 't' || verb === 'v' ? padded(String(value.value), flags) : badVerb(value, verb, flags)
    case 'int':
    case 'uint8':
      return formatInteger(value, verb, flags) ?? badVerb(value, verb, flags)
    case 'float':
      return formatFloat(value.value, verb, flags) ?? badVerb(value, verb, flags)
    case 'complex':
      return formatComplex(value, verb, flags) ?? badVerb(value, verb, flags)
    case 'string':
      return formatString(value.bytes, verb, flags) ?? badVerb(value, verb, flags)
    case 'map':
      return formatMap(value, verb, flags)
  }
}

/** The flags stay: they shape the value in the complaint as well. */
function badVerb(value: Value, verb: string, flags: Flags): ByteString {
  return `%!${verb}(${typeOf(value)}=${formatValue(value, 'v', flags)})`
}

function formatComplex(
  { real, imaginary }: Extract<Value, { kind: 'complex' }>,
  verb: string,
  flags: Flags,
): ByteString | undefined {
  const first = formatFloat(real, verb, flags)
  const second = formatFloat(imaginary, verb, { ...flags, plus: true })
  return first === undefined || second === undefined ? undefined : `(${first}${second}i)`
}

function formatString(bytes: ByteString, verb: 's', flags: Flags): ByteString
function formatString(bytes: ByteString, verb: string, flags: Flags): ByteString | undefined
function formatString(bytes: ByteString, verb: string, flags: Flags): ByteString | undefined {
  switch (verb) {
    case 'v':
      return flags.goSyntax
        ? padded(quotedBytes(cut(bytes, flags), flags), flags)
        : padded(cut(bytes, flags), flags)
    case 's':
      return padded(cut(bytes, flags), flags)
    case 'q':
      return padded(quotedBytes(cut(bytes, flags), flags), flags)
    case 'x':
      return formatHex(bytes, flags)
    case 'X':
      return formatHex(bytes, flags).toUpperCase()
    default:
      return undefined
  }
}

/** The first runes, as many as the precision says. */
function cut(bytes: ByteString, { precision }: Flags): ByteString {
  if (precision === undefined) return bytes
  let end = 0
  for (const rune of runesOf(bytes).slice(0, precision)) end += rune.size
  return bytes.slice(0, end)
}

function formatHex(bytes: ByteString, flags: Flags): ByteString {
  const some = bytes.slice(0, flags.precision)
  const codes = Array.from(some, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'))
  if (codes.length === 0) return padded('', flags)
  const prefix = flags.sharp ? '0x' : ''
  return padded(flags.space ? codes.map((code) => prefix + code).join(' ') : prefix + codes.join(''), flags)
}

function formatMap(value: Extract<Value, { kind: 'map' }>, verb: string, flags: Flags): ByteString {
  if (flags.goSyntax && value.isNil) return `${typeOf(value)}(nil)`
  const pairs = [...value.entries].map(
    ([key, entry]) => `${formatEntry(key, verb, flags)}:${formatEntry(entry, verb, flags)}`,
  )
  return flags.goSyntax ? `${typeOf(value)}{${pairs.join(', ')}}` : `map[${pairs.join(' ')}]`
}

function formatEntry(bytes: ByteString, verb: string, flags: Flags): ByteString {
  return formatValue({ kind: 'string', bytes }, verb, flags)
}

function formatFields(value: Extract<Value, { kind: 'context' }>, verb: string, flags: Flags): ByteString {
  const isNamed = flags.goSyntax || flags.fieldNames
  const fields = [...value.fields].map(
    ([name, field]) => (isNamed ? `${name}:` : '') + formatValue(field, verb, flags),
  )
  const type = flags.goSyntax ? typeOf(value).slice(1) : ''
  return `${type}{${fields.join(flags.goSyntax ? ', ' : ' ')}}`
}
