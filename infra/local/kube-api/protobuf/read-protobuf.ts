// Kubernetes' protobuf, read into the JSON that it stands for.
import { listOf, recordOf, textOf, type JsonRecord } from '../json.ts'
import { badRequest, unsupportedMediaType } from '../status-error.ts'
import { envelope, knownMessages, type Field, type MessageShape, type Shape } from './message-shapes.ts'

export const protobufMedia = 'application/vnd.kubernetes.protobuf'

const magic = Buffer.from('k8s\0', 'latin1')

/** Throws 415 for a kind that is not among the known ones, 400 for bytes that are none. */
export function readProtobuf(body: Buffer): JsonRecord {
  if (!body.subarray(0, magic.length).equals(magic)) throw malformed()
  const { typeMeta, raw } = readMessage(body.subarray(magic.length), envelope)
  const kind = textOf(recordOf(typeMeta)['kind'])
  const shape = Object.hasOwn(knownMessages, kind) ? knownMessages[kind] : undefined
  if (!shape) throw unsupportedMediaType(['application/json', 'application/yaml'])
  return { ...recordOf(typeMeta), ...readMessage(Buffer.from(textOf(raw), 'base64'), shape) }
}

function malformed(): Error {
  return badRequest('the object provided is unrecognized: the protobuf is malformed')
}

type Value = bigint | Buffer

function readMessage(bytes: Buffer, shape: MessageShape): JsonRecord {
  const fields = new Map<string, unknown>()
  for (const { number, value } of fieldsIn(bytes)) {
    const field = shape[number]
    if (field) fields.set(field.name, merged(fields.get(field.name), field, value))
  }
  return Object.fromEntries(fields)
}

function merged(before: unknown, { shape, isRepeated }: Field, value: Value): unknown {
  if (typeof shape === 'object' && 'mapOf' in shape) {
    const entry = readMessage(bytesOf(value), {
      1: { name: 'key', shape: 'text' },
      2: { name: 'value', shape: shape.mapOf },
    })
    const pair = [textOf(entry['key']), textOf(entry['value'])] as const
    return Object.fromEntries([...Object.entries(recordOf(before)), pair])
  }
  const read = readValue(shape, value)
  return isRepeated === true ? [...listOf(before), read] : read
}

/** Bytes become base64, as JSON has them. */
function readValue(shape: Exclude<Shape, { readonly mapOf: unknown }>, value: Value): unknown {
  if (shape === 'number') return Number(numberOf(value))
  if (shape === 'flag') return numberOf(value) !== 0n
  if (shape === 'text') return bytesOf(value).toString('utf8')
  return shape === 'bytes' ? bytesOf(value).toString('base64') : readMessage(bytesOf(value), shape.message)
}

function numberOf(value: Value): bigint {
  if (typeof value !== 'bigint') throw malformed()
  return BigInt.asIntN(64, value)
}

function bytesOf(value: Value): Buffer {
  if (typeof value === 'bigint') throw malformed()
  return value
}

/** Each field of a message as it is on the wire: a number, or a run of bytes. */
function* fieldsIn(bytes: Buffer): Generator<{ readonly number: number; readonly value: Value }> {
  let offset = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[offset]
      if (byte === undefined) break
      offset += 1
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw malformed()
  }
  const take = (length: number): Buffer => {
    if (length > bytes.length - offset) throw malformed()
    offset += length
    return bytes.subarray(offset - length, offset)
  }
  const readers: Readonly<Record<number, () => Value>> = {
    0: varint,
    1: () => take(8),
    2: () => take(Number(varint())),
    5: () => take(4),
  }
  while (offset < bytes.length) {
    const tag = Number(varint())
    const read = readers[tag & 7]
    if (!read) throw malformed()
    yield { number: tag >>> 3, value: read() }
  }
}
