// What was started is ended in reverse order, all of it, also when one part fails to end.

export interface Closers {
  add(name: string, close: () => Promise<unknown>): void
  /** Ends everything once; later calls wait for the first. */
  closeAll(): Promise<void>
}

export function makeClosers(warn: (message: string) => void): Closers {
  const closers: { readonly name: string; readonly close: () => Promise<unknown> }[] = []
  let closing: Promise<void> | undefined
  async function run(): Promise<void> {
    for (const { name, close } of closers.splice(0).toReversed()) {
      try {
        await close()
      } catch (error) {
        warn(`Cannot end the ${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  return {
    add: (name, close) => void closers.push({ name, close }),
    closeAll: () => (closing ??= run()),
  }
}
