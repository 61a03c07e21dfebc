/** Runs every task, at most `limit` at a time, and resolves when all have ended. Tasks must not reject. */
export async function runBounded(tasks: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const waiting = tasks.values()
  async function work(): Promise<void> {
    for (const task of waiting) await task()
  }
  await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, work))
}
