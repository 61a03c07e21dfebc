import { makeSystemClock } from '../adapters/node/clock.ts'
import { makeSystemRandom } from '../adapters/node/random.ts'
import { makeSshRemoteShell } from '../adapters/ssh/ssh-remote-shell.ts'
import type { Clock } from '../ambient/ports.ts'
import { makeHostRunsByMode } from '../execution/host-runs-by-mode.ts'
import type { HostAdoption, HostRuns } from '../execution/ports.ts'
import { makeRawHostRuns } from '../execution/raw-host-runs.ts'
import { makeVerifiedHostRuns } from '../execution/verified-host-runs.ts'

/** Runs over SSH from this machine. */
export function composeRuns(): { readonly clock: Clock; readonly runs: HostRuns & HostAdoption } {
  const clock = makeSystemClock()
  const random = makeSystemRandom()
  const means = { shell: makeSshRemoteShell({ clock, random }), clock, random }
  const runs = makeHostRunsByMode({ raw: makeRawHostRuns(means), verified: makeVerifiedHostRuns(means) })
  return { clock, runs }
}
