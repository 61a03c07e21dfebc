// What a host's program answers: sections that begin with a line of this contact's own random marker. Everything before,
// between unknown markers and after the end is noise of the login shell and is not looked at. Hosts are not trusted: only
// sections that have a meaning are kept, so that no answer grows our memory.

export interface AnswerSection {
  /** The words behind the section's name. */
  readonly words: readonly string[]
  /** Everything up to the next section. Empty for output, which is passed on as it comes. */
  readonly body: string
}

export interface HostAnswer {
  readonly sections: ReadonlyMap<string, AnswerSection>
  /** False when the connection ended, or the program died, before everything was said. */
  readonly isComplete: boolean
  /** Bytes of the run's output that were passed on in whole lines. */
  readonly outputBytes: number
}

export interface AnswerReader {
  push(chunk: Uint8Array): void
  answer(): HostAnswer
}

export type OutputListener = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void

/** No section and no line that matters is longer than this; what is longer is noise and is not kept. */
const limitBytes = 256 * 1024

const sectionNames = [
  'begin',
  'started',
  'output',
  'running',
  'unknown',
  'refused',
  'unable',
  'finished',
  'stdout',
  'stderr',
  'facts',
  'adopted',
  'end',
]

export function makeAnswerReader(marker: string, onOutput: OutputListener = () => undefined): AnswerReader {
  const sections = new Map<string, AnswerSection>()
  let current: { name: string; words: string[]; lines: Buffer[]; bytes: number } | undefined
  let outputBytes = 0
  let lastLineBytes = 0

  function closeSection(): void {
    if (current === undefined) return
    // The newline before a marker belongs to the marker.
    const body = Buffer.concat(current.lines).toString('utf8').replace(/\n$/, '')
    sections.set(current.name, { words: current.words, body })
    if (current.name === 'output') outputBytes -= lastLineBytes
    current = undefined
  }

  function takeLine(line: Buffer): void {
    if (line.subarray(0, marker.length + 1).toString('latin1') === `${marker} `) {
      closeSection()
      const [first = '', ...words] = line
        .toString('utf8', marker.length + 1)
        .trimEnd()
        .split(' ')
      const name = sectionNames.find((known) => known === first)
      if (name !== undefined) current = { name, words, lines: [], bytes: 0 }
    } else if (current?.name === 'output') {
      takeOutput(line)
    } else if (current !== undefined && current.bytes < limitBytes) {
      current.lines.push(line)
      current.bytes += line.length
    }
  }

  function takeOutput(line: Buffer): void {
    // The empty line before the next marker proves that the line before it was whole.
    lastLineBytes = line.length === 1 ? 0 : line.length
    if (line.length === 1) return
    outputBytes += line.length
    const letter = line.toString('latin1', 0, 1)
    const goesOn = letter === 'O' || letter === 'E'
    onOutput(letter.toLowerCase() === 'e' ? 'stderr' : 'stdout', line.subarray(1, goesOn ? -1 : undefined))
  }

  return {
    push: lineSplitter(takeLine),
    answer() {
      const isComplete = current?.name === 'end'
      closeSection()
      return { sections, isComplete, outputBytes }
    },
  }
}

/** Whole lines, newline included. What has grown too long to be one of ours is dropped. */
function lineSplitter(takeLine: (line: Buffer) => void): (chunk: Uint8Array) => void {
  let pending = Buffer.alloc(0)
  return (chunk) => {
    pending = pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([pending, chunk])
    let start = 0
    for (let end = pending.indexOf(10); end !== -1; end = pending.indexOf(10, start)) {
      takeLine(pending.subarray(start, end + 1))
      start = end + 1
    }
    pending = pending.length - start > limitBytes ? Buffer.alloc(0) : pending.subarray(start)
  }
}
