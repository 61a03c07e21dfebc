/** Applies `work` to every item, at most `limit` at a time, keeping order. The first failure rejects; nothing new is started after it. */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let hasFailed = false
  async function worker(): Promise<void> {
    while (next < items.length && !hasFailed) {
      const index = next
      next += 1
      const item = items[index]
      if (item === undefined) continue
      try {
        results[index] = await work(item, index)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
