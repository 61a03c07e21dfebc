// The real clock and chance, for a server that nobody gave others.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Ids } from '../../../lib/ambient/ports.ts'

export const localClock: Clock = {
  nowMs: () => Date.now(),
  async wait(durationMs, signal) {
    // A pending wait never keeps the process alive by itself.
    await sleep(durationMs, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined)
  },
}

export const localIds: Ids = { next: () => randomUUID() }

export function randomToken(): string {
  return randomBytes(24).toString('base64url')
}
