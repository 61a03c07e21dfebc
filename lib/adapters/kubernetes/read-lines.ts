import type { Readable } from 'node:stream'
import { TransientError } from '../../errors/transient-error.ts'

/** Lines of a stream as text, without their ends; what follows the last newline is dropped, for it may be half a line. */
export async function* readLines(stream: Readable, maxLineBytes: number): AsyncGenerator<string> {
  let pending: Buffer[] = []
  let pendingBytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      pending.push(chunk.subarray(start, end))
      const line = Buffer.concat(pending).toString('utf8')
      pending = []
      pendingBytes = 0
      start = end + 1
      if (line !== '') yield line
    }
    const rest = chunk.subarray(start)
    pending.push(rest)
    pendingBytes += rest.length
    if (pendingBytes > maxLineBytes) throw tooLong(maxLineBytes)
  }
}

const newline = 0x0a

function tooLong(maxLineBytes: number): TransientError {
  return new TransientError(
    `Cannot read a watch: a line is longer than ${maxLineBytes} bytes, look for an object of that size`,
    {
      reason: 'LineTooLong',
    },
  )
}
