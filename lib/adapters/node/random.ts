import { randomInt, randomUUID } from 'node:crypto'
import type { Ids, Random } from '../../ambient/ports.ts'

export function makeSystemRandom(): Random {
  return { below: (limit) => randomInt(limit) }
}

export function makeUuids(): Ids {
  return { next: () => randomUUID() }
}
