import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `check` holds, looking again every few milliseconds; fails with its last word after ten seconds. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  what = 'the condition',
): Promise<NonNullable<T>> {
  const giveUpAtMs = Date.now() + 10_000
  for (;;) {
    const result = await check()
    if (result !== false && result !== undefined && result !== null) return result
    if (Date.now() > giveUpAtMs) throw new Error(`waited ten seconds for ${what}`)
    await pause(5)
  }
}
