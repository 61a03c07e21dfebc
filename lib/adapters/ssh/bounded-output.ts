// Keeps the head and the tail of a stream and counts what it leaves out, whatever its length. A command's printing never
// grows our memory.

export interface BoundedOutput {
  push(chunk: Buffer): void
  text(): string
  isTruncated(): boolean
}

export function makeBoundedOutput(maxBytes: number): BoundedOutput {
  const headLimit = Math.ceil(maxBytes / 2)
  const tailLimit = maxBytes - headLimit
  const head: Buffer[] = []
  let headBytes = 0
  let tail: Buffer[] = []
  let tailBytes = 0
  let leftOut = 0

  function keepTail(chunk: Buffer): void {
    tail.push(chunk)
    tailBytes += chunk.length
    // Cut rarely: each cut copies the tail once, so it waits until there is as much to drop as to keep.
    if (tailBytes >= 2 * tailLimit + 65_536) cutTail()
  }

  function cutTail(): void {
    const all = Buffer.concat(tail)
    const kept = all.subarray(Math.max(0, all.length - tailLimit))
    leftOut += all.length - kept.length
    tail = [Buffer.from(kept)]
    tailBytes = kept.length
  }

  return {
    push(chunk) {
      const room = Math.min(chunk.length, headLimit - headBytes)
      if (room > 0) {
        head.push(Buffer.from(chunk.subarray(0, room)))
        headBytes += room
      }
      if (room < chunk.length) keepTail(Buffer.from(chunk.subarray(room)))
    },
    text() {
      cutTail()
      if (leftOut === 0) return Buffer.concat([...head, ...tail]).toString('utf8')
      const [start, end] = [Buffer.concat(head).toString('utf8'), Buffer.concat(tail).toString('utf8')]
      return `${start}\n[${String(leftOut)} bytes left out]\n${end}`
    },
    isTruncated() {
      return headBytes + tailBytes + leftOut > maxBytes
    },
  }
}
