import type { Clock } from '../ambient/ports.ts'
import type { SteppedMachines } from '../proof/ports.ts'
import type { Family } from '../proof/proof-settings.ts'

export interface Sandboxes {
  readonly clock: Clock
  /** Throws SandboxError (SandboxUnavailable) where this machine can make none. */
  make(family: Family): Promise<SteppedMachines>
}

/** Loads the sandbox for the command that needs it; the others start without. */
export async function loadSandboxes(): Promise<Sandboxes> {
  const [{ makeSystemClock }, { makeSandboxes }] = await Promise.all([
    import('../adapters/node/clock.ts'),
    import('../adapters/sandbox/sandboxes.ts'),
  ])
  const clock = makeSystemClock()
  return { clock, make: (family) => makeSandboxes({ clock, family }) }
}
