import type { Clock } from '../ambient/ports.ts'
import type { HostAdoption, HostRuns } from '../execution/ports.ts'

/** Loads SSH for the commands that need it; the others start without. */
export async function loadRuns(): Promise<{ readonly clock: Clock; readonly runs: HostRuns & HostAdoption }> {
  const { composeRuns } = await import('./compose-runs.ts')
  return composeRuns()
}
