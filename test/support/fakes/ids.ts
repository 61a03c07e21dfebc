import type { Ids } from '../../../lib/ambient/ports.ts'

/** `<prefix>-1`, `<prefix>-2` and so on. */
export function fakeIds(prefix = 'id'): Ids {
  let count = 0
  return {
    next() {
      count += 1
      return `${prefix}-${count}`
    },
  }
}
