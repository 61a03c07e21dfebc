import type { InTurn } from './feed-attempt.ts'

/** Starts each piece of work when the one before has ended, well or not. */
export function makeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work, work)
    last = mine.catch(() => undefined)
    return mine
  }
}
