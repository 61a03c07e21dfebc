// What a pipeline can hold: the join context, its maps, strings, and what literals and functions make. Kinds as Go's.
import { toBytes, type ByteString } from './bytes.ts'

export type Value =
  | { readonly kind: 'nil' }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** 64 bits, signed. */
  | { readonly kind: 'int'; readonly value: bigint }
  /** One byte of a string, by `index`. */
  | { readonly kind: 'uint8'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'complex'; readonly real: number; readonly imaginary: number }
  | { readonly kind: 'string'; readonly bytes: ByteString }
  /** String to string, keys in order of their bytes. */
  | { readonly kind: 'map'; readonly isNil: boolean; readonly entries: ReadonlyMap<ByteString, ByteString> }
  /** The join context: fields by name, in the order in which they print. */
  | { readonly kind: 'context'; readonly fields: ReadonlyMap<string, Value> }

/** What a template is rendered over. null is a map that nobody set. */
export type TemplateData = Readonly<Record<string, string | Readonly<Record<string, string>> | null>>

export function contextValue(data: TemplateData): Value {
  return {
    kind: 'context',
    fields: new Map(
      Object.entries(data).map(([name, value]) => [
        name,
        typeof value === 'string' ? stringValue(toBytes(value)) : mapValue(value),
      ]),
    ),
  }
}

function mapValue(entries: Readonly<Record<string, string>> | null): Value {
  const pairs = Object.entries(entries ?? {}).map(([key, value]) => [toBytes(key), toBytes(value)] as const)
  return {
    kind: 'map',
    isNil: entries === null,
    entries: new Map(pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))),
  }
}

export const nil: Value = { kind: 'nil' }

export function stringValue(bytes: ByteString): Value {
  return { kind: 'string', bytes }
}

export function intValue(value: number): Value {
  return { kind: 'int', value: BigInt(value) }
}

export function boolValue(value: boolean): Value {
  return { kind: 'bool', value }
}

/** As Go names the type. */
export function typeOf(value: Value): string {
  switch (value.kind) {
    case 'nil':
      return 'nil'
    case 'bool':
    case 'int':
    case 'uint8':
    case 'string':
      return value.kind
    case 'float':
      return 'float64'
    case 'complex':
      return 'complex128'
    case 'map':
      return 'map[string]string'
    case 'context':
      return '*profile.Context'
  }
}

/** Anything but the zero of its type. */
export function isTrue(value: Value): boolean {
  switch (value.kind) {
    case 'nil':
      return false
    case 'bool':
      return value.value
    case 'int':
    case 'uint8':
      return value.value !== 0n
    case 'float':
      return value.value !== 0
    case 'complex':
      return value.real !== 0 || value.imaginary !== 0
    case 'string':
      return value.bytes !== ''
    case 'map':
      return value.entries.size > 0
    case 'context':
      return true
  }
}
