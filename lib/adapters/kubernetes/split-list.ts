// Cuts the JSON of a list into its items while it arrives. A page of 500 pods is megabytes of text and several times that as
// objects; one item at a time, none of it is ever in memory together.
//
//   {"kind":"PodList","metadata":{…},"items":[ {…} , {…} ]}
//   ^^^^^^^^^^^^^^^^^^^ frame ^^^^^^^^^^^^^^^^^ ^item^ ^item^ ^^ frame
import type { Readable } from 'node:stream'
import { TransientError } from '../../errors/transient-error.ts'

/** Yields the text of each item; returns the text of the list without them. */
export async function* splitList(stream: Readable, maxItemBytes: number): AsyncGenerator<string, string> {
  const cutter = makeCutter(maxItemBytes)
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    yield* cutter.items(chunk)
  }
  return cutter.frame()
}

const [quote, backslash] = [0x22, 0x5c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
/** Depths: 1 is inside the list, 2 inside its array of items, 3 inside an item. */
const itemsDepth = 2

interface Cutter {
  items(chunk: Buffer): Iterable<string>
  frame(): string
}

function makeCutter(maxItemBytes: number): Cutter {
  const frame = makePiece(maxItemBytes)
  const item = makePiece(maxItemBytes)
  const nextBracket = makeBracketFinder()
  let depth = 0
  let isInItems = false

  /** Where the piece begins that goes on after this opening bracket. */
  function afterOpening(chunk: Buffer, start: number, index: number): number {
    depth += 1
    if (isInItems) return depth === itemsDepth + 1 ? index : start
    if (depth !== itemsDepth || chunk[index] !== openBracket) return start
    frame.add(chunk.subarray(start, index + 1))
    isInItems = /"items"\s*:\s*\[$/.test(frame.tail())
    return index + 1
  }

  function* items(chunk: Buffer): Iterable<string> {
    let start = 0
    for (let index = nextBracket(chunk, 0); index < chunk.length; index = nextBracket(chunk, index + 1)) {
      if (chunk[index] === openBrace || chunk[index] === openBracket) {
        start = afterOpening(chunk, start, index)
        continue
      }
      depth -= 1
      if (isInItems && depth === itemsDepth) {
        item.add(chunk.subarray(start, index + 1))
        yield item.take()
        start = index + 1
      } else if (isInItems && depth < itemsDepth) {
        isInItems = false
        start = index
      }
    }
    const rest = chunk.subarray(start)
    if (!isInItems) frame.add(rest)
    else if (depth > itemsDepth) item.add(rest)
  }

  return { items, frame: () => frame.take() }
}

/** Finds the next bracket that is not part of a string; the length of the chunk if there is none. */
function makeBracketFinder(): (chunk: Buffer, from: number) => number {
  let isInString = false
  let isEscaped = false

  /** Most bytes are text: quotes are looked for by memchr, and only what stands before one is looked at. */
  function endOfString(chunk: Buffer, from: number): number {
    for (let index = from; ;) {
      if (isEscaped) {
        isEscaped = false
        index += 1
      }
      const end = chunk.indexOf(quote, index)
      const backslashes = trailingBackslashes(chunk, index, end === -1 ? chunk.length : end)
      isEscaped = backslashes % 2 === 1
      if (end === -1) return chunk.length
      if (!isEscaped) {
        isInString = false
        return end + 1
      }
      index = end
    }
  }

  return (chunk, from) => {
    let index = isInString ? endOfString(chunk, from) : from
    while (index < chunk.length) {
      const byte = chunk[index]
      if (byte === openBrace || byte === closeBrace || byte === openBracket || byte === closeBracket)
        return index
      index += 1
      if (byte !== quote) continue
      isInString = true
      index = endOfString(chunk, index)
    }
    return index
  }
}

function trailingBackslashes(chunk: Buffer, from: number, end: number): number {
  let index = end
  while (index > from && chunk[index - 1] === backslash) index -= 1
  return end - index
}

interface Piece {
  add(bytes: Buffer): void
  tail(): string
  take(): string
}

function makePiece(maxBytes: number): Piece {
  let parts: Buffer[] = []
  let size = 0
  return {
    add(bytes) {
      size += bytes.length
      if (size > maxBytes) {
        throw new TransientError(
          `Cannot read a list: one of its items is longer than ${maxBytes} bytes, look for an object of that size`,
          {
            reason: 'ItemTooLong',
          },
        )
      }
      parts.push(bytes)
    },
    tail: () => Buffer.concat(parts).subarray(-32).toString('latin1'),
    take() {
      const text = Buffer.concat(parts, size).toString('utf8')
      parts = []
      size = 0
      return text
    },
  }
}
