import type { Random } from '../ambient/ports.ts'

/** The same numbers for the same seed, so that a sample can be repeated; good for nothing that must not be guessed. */
export function makeSeededRandom(seed: number): Random {
  let state = BigInt(seed)
  return {
    below(limit) {
      state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
      return Number((state >> 33n) % BigInt(limit))
    },
  }
}
