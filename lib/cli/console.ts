// The terminal, or what stands in for it: results on stdout, everything else on stderr.

export interface Console {
  /** Columns of the terminal that shows the results; undefined where they go to a file or a program. */
  readonly width: number | undefined
  out(text: string | Uint8Array): void
  /** Progress, warnings and errors. */
  note(text: string | Uint8Array): void
  /** Calls back when the person wants to stop; the second time the process ends by itself. Returns how to unsubscribe. */
  onInterrupt(callback: () => void): () => void
  /** Resolves when everything was handed over. */
  drain(): Promise<void>
}

export type ProcessStreams = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'once' | 'off' | 'exit'>

export function makeConsole(process: ProcessStreams): Console {
  const { stdout, stderr } = process
  // Whoever reads has enough: `kpssh host list | head -1`.
  for (const stream of [stdout, stderr]) stream.on('error', () => process.exit(0))
  return {
    width: stdout.isTTY ? stdout.columns : undefined,
    out: (text) => void stdout.write(text),
    note: (text) => void stderr.write(text),
    onInterrupt(callback) {
      process.once('SIGINT', callback)
      return () => void process.off('SIGINT', callback)
    },
    async drain() {
      for (const stream of [stdout, stderr]) {
        await new Promise<void>((resolve) => stream.write('', () => resolve()))
      }
    },
  }
}
