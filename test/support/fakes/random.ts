import type { Random } from '../../../lib/ambient/ports.ts'

/** The given numbers in turn, each brought below the limit; zeros when there are none. */
export function fakeRandom(...numbers: readonly number[]): Random {
  let drawn = 0
  return {
    below(limit) {
      const number = numbers[drawn % Math.max(numbers.length, 1)] ?? 0
      drawn += 1
      return number % limit
    },
  }
}
