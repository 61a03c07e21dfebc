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

/** The same sequence for the same seed, with a long period. */
export function seededRandom(seed: number): Random {
  let state = BigInt(seed)
  return {
    below(limit) {
      state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
      return Number((state >> 33n) % BigInt(limit))
    },
  }
}
