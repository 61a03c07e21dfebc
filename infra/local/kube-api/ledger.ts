// What clients asked, for tests that count.
import type { Clock } from '../../../lib/ambient/ports.ts'
import { readAddress, verbOf } from './api-request.ts'

export interface LoggedRequest {
  readonly atMs: number
  readonly method: string
  readonly url: string
  readonly verb: string
  /** Empty for what is no resource. */
  readonly plural: string
  readonly username: string
  readonly userAgent: string
  readonly status: number
}

export interface Ledger {
  note(request: Omit<LoggedRequest, 'atMs' | 'verb' | 'plural'>): void
  requests(): readonly LoggedRequest[]
}

const limit = 50_000

export function makeLedger(clock: Clock): Ledger {
  let noted: LoggedRequest[] = []
  return {
    note(request) {
      noted.push({ ...request, ...describe(request), atMs: clock.nowMs() })
      if (noted.length > limit * 2) noted = noted.slice(-limit)
    },
    requests: () => noted.slice(-limit),
  }
}

function describe({ method, url }: { readonly method: string; readonly url: string }): {
  readonly verb: string
  readonly plural: string
} {
  try {
    const address = readAddress(url)
    return { verb: (address && verbOf(method, address)) ?? '', plural: address?.plural ?? '' }
  } catch {
    return { verb: '', plural: '' }
  }
}
