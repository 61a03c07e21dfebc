import type { Random } from '../ambient/ports.ts'

export interface BackOff {
  readonly shortestMs: number
  readonly longestMs: number
}

/** After the first failure `shortestMs`, doubled with each further one; shifted by up to a quarter either way. */
export function backOffMs(failures: number, { shortestMs, longestMs }: BackOff, random: Random): number {
  const plain = Math.min(longestMs, shortestMs * 2 ** Math.min(failures - 1, 20))
  return Math.round(plain * (0.75 + random.below(501) / 1000))
}
