import type { TestContext } from 'node:test'

type Close = () => void | Promise<void>

const closersOf = new WeakMap<TestContext, Close[]>()

/** When the test ends, what was opened last is closed first: a client before the server that it talks to. */
export function atEnd(test: TestContext, close: Close): void {
  const known = closersOf.get(test)
  if (known !== undefined) {
    known.push(close)
    return
  }
  const closers = [close]
  closersOf.set(test, closers)
  test.after(async () => {
    for (const closer of closers.toReversed()) await closer()
  })
}
