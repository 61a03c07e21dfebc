import type { Console } from '../../../lib/cli/console.ts'

export interface FakeConsole extends Console {
  readonly stdout: string
  readonly stderr: string
  /** What Ctrl-C does. */
  interrupt(): void
}

export function fakeConsole(options: { readonly width?: number } = {}): FakeConsole {
  let stdout = ''
  let stderr = ''
  const callbacks = new Set<() => void>()
  return {
    width: options.width,
    get stdout() {
      return stdout
    },
    get stderr() {
      return stderr
    },
    out: (text) => void (stdout += Buffer.from(text).toString()),
    note: (text) => void (stderr += Buffer.from(text).toString()),
    onInterrupt(callback) {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
    interrupt() {
      for (const callback of callbacks) callback()
    },
    drain: () => Promise.resolve(),
  }
}
