import type { Clock } from '../ambient/ports.ts'
import type { Console } from './console.ts'

const patienceMs = 1_000

/** Says what is waited for once it takes longer than a second. */
export async function withProgress<T>(
  { clock, console, text }: { readonly clock: Clock; readonly console: Console; readonly text: string },
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController()
  void clock.wait(patienceMs, done.signal).then(() => {
    if (!done.signal.aborted) console.note(`${text} …\n`)
  })
  try {
    return await work()
  } finally {
    done.abort()
  }
}
