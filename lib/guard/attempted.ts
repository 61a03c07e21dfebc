import type { Scope } from '../ambient/ports.ts'
import { hostKeyText, type HostKey } from '../hosts/host-record.ts'
import type { GuardCounts } from './guard-counts.ts'

export interface Attempt {
  readonly scope: Scope
  readonly action: string
  readonly host?: HostKey
  /** What to count besides the error when it fails. */
  readonly otherwise?: Partial<GuardCounts>
}

/** One thing that fails, or that there is no time for, keeps nothing else from being done. */
export async function attempted(
  act: () => Promise<Partial<GuardCounts>>,
  { scope, action, host, otherwise = {} }: Attempt,
): Promise<Partial<GuardCounts>> {
  const where = { action, ...(host === undefined ? {} : { host: hostKeyText(host) }) }
  if (scope.clock.nowMs() >= scope.deadlineAtMs || scope.signal?.aborted === true) {
    scope.log.warn('guard.postponed', where)
    return { ...otherwise, errors: 1 }
  }
  try {
    return await act()
  } catch (cause) {
    scope.log.warn('guard.failed', { ...where, cause })
    return { ...otherwise, errors: 1 }
  }
}
