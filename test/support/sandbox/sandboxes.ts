// Sandboxes for tests. Where the machine can make none, tests that need them are skipped and say why; where they must run, as
// in CI, that is a failure instead.
import { makeSystemClock } from '../../../lib/adapters/node/clock.ts'
import { makeSandboxes } from '../../../lib/adapters/sandbox/sandboxes.ts'
import { SandboxError } from '../../../lib/errors/sandbox-error.ts'
import type { SteppedMachines } from '../../../lib/proof/ports.ts'

export type Family = 'debian' | 'redhat'

export function someSandboxes(family: Family = 'debian'): Promise<SteppedMachines> {
  return makeSandboxes({ clock: makeSystemClock(), family })
}

/** For `describe` and `it`: `{}` where sandboxes can be made. */
export const needsSandboxes: { readonly skip?: string } = await reasonToSkip()

async function reasonToSkip(): Promise<{ readonly skip?: string }> {
  try {
    await (await someSandboxes()).close()
    return {}
  } catch (error) {
    if (!(error instanceof SandboxError) || process.env['KPSSH_REQUIRE_NAMESPACES'] === '1') throw error
    return { skip: error.message }
  }
}
