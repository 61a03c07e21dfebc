// Verified mode: a host's login reaches nothing but a shim, and the shim runs nothing but what an offline key has signed.
import type { Clock, Random } from '../ambient/ports.ts'
import type { HostRuns, RemoteShell, SshBudgets } from './ports.ts'

export interface VerifiedHostRunsOptions {
  readonly shell: RemoteShell
  readonly clock: Clock
  readonly random: Random
  readonly budgets?: Omit<SshBudgets, 'commandMs'>
}

export function makeVerifiedHostRuns(options: VerifiedHostRunsOptions): HostRuns {
  const later = () => Promise.reject(new TypeError(`Cannot reach a shim yet (${typeof options.shell})`))
  return { start: later, attach: later, probe: later }
}
