// SSH's wire format (RFC 4251, section 5), read within strict bounds.

export interface WireReader {
  readonly left: number
  /** How far it was read. */
  readonly at: number
  byte(): number
  uint32(): number
  uint64(): bigint
  /** Length and as many bytes. */
  bytes(): Buffer
  /** For names: any byte that is not printable ASCII is refused. */
  name(): string
  /** A positive integer, big-endian, without its leading zeros. */
  positive(): Buffer
}

/** A length that goes beyond the end, a name that is none, a negative number. */
export class WireFault extends Error {}

export function readWire(blob: Buffer): WireReader {
  let at = 0
  const take = (length: number, what: string): Buffer => {
    if (length > blob.length - at) {
      throw new WireFault(`${what} of ${length} bytes goes beyond the end, ${blob.length - at} are left`)
    }
    at += length
    return blob.subarray(at - length, at)
  }
  const bytes = (): Buffer => take(take(4, 'a length').readUInt32BE(), 'a field')
  return {
    get left() {
      return blob.length - at
    },
    get at() {
      return at
    },
    byte: () => take(1, 'a number').readUInt8(),
    uint32: () => take(4, 'a number').readUInt32BE(),
    uint64: () => take(8, 'a number').readBigUInt64BE(),
    bytes,
    name() {
      const text = bytes().toString('latin1')
      if (text.length <= longestName && /^[\x20-\x7e]*$/.test(text)) return text
      throw new WireFault('a name is too long or not printable')
    },
    positive: () => withoutLeadingZeros(bytes()),
  }
}

const longestName = 256

function withoutLeadingZeros(number: Buffer): Buffer {
  if (number.length > 0 && number.readUInt8(0) >= 0x80) throw new WireFault('a number is negative')
  const start = number.findIndex((byte) => byte !== 0)
  if (start < 0) throw new WireFault('a number is zero')
  return number.subarray(start)
}

export function wireString(bytes: Buffer | string): Buffer {
  const body = Buffer.from(bytes)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
