// Keeps a rendering finite: a template is somebody's input, and `range 1000000000` is four words.
import type { ByteString } from './bytes.ts'
import { TemplateFault } from './template-fault.ts'

export interface Limits {
  /** Evaluated nodes, plus one for every 64 bytes that a function takes or makes. */
  readonly steps: number
  readonly outputBytes: number
  /** Branches and templates within each other. */
  readonly depth: number
}

export const defaultLimits: Limits = { steps: 1_000_000, outputBytes: 1_048_576, depth: 300 }

/** Spends what a rendering may spend; throws a fault when it is used up. */
export interface Work {
  readonly limits: Limits
  step(line: number): void
  /** For every string that a function looks at. */
  took(bytes: ByteString, line: number): void
  /** For every string that is made; returns it. */
  made(bytes: ByteString, line: number): ByteString
  enter(line: number): void
  leave(): void
}

export function makeWork(limits: Limits): Work {
  let steps = 0
  let depth = 0
  const spend = (amount: number, line: number) => {
    steps += amount
    if (steps > limits.steps) throw new TemplateFault('exec', line, `takes more than ${limits.steps} steps`)
  }
  return {
    limits,
    step: (line) => spend(1, line),
    took: (bytes, line) => spend(bytes.length >> 6, line),
    made(bytes, line) {
      if (bytes.length > limits.outputBytes) {
        throw new TemplateFault('exec', line, `makes more than ${limits.outputBytes} bytes`)
      }
      spend(bytes.length >> 6, line)
      return bytes
    },
    enter(line) {
      depth += 1
      if (depth > limits.depth)
        throw new TemplateFault('exec', line, `goes deeper than ${limits.depth} levels`)
    },
    leave() {
      depth -= 1
    },
  }
}
