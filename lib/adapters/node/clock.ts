import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../ambient/ports.ts'

export function makeSystemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    async wait(durationMs, signal) {
      await sleep(Math.max(0, durationMs), undefined, signal ? { signal } : {}).catch(() => undefined)
    },
  }
}
