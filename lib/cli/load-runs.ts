import type { Means } from './compose-runs.ts'

/** Loads SSH for the commands that need it; the others start without. */
export async function loadRuns(): Promise<Means> {
  const { composeRuns } = await import('./compose-runs.ts')
  return composeRuns()
}
