import { makeSystemClock } from '../adapters/node/clock.ts'
import { makeSystemRandom } from '../adapters/node/random.ts'
import { makeSshRemoteShell } from '../adapters/ssh/ssh-remote-shell.ts'
import { tryLogin, type LoginAttempt, type LoginObservation } from '../adapters/ssh/try-login.ts'
import type { Clock } from '../ambient/ports.ts'
import { makeHostRunsByMode } from '../execution/host-runs-by-mode.ts'
import type { HostAdoption, HostRuns, RemoteShell, SshTarget } from '../execution/ports.ts'
import { makeRawHostRuns } from '../execution/raw-host-runs.ts'
import { makeVerifiedHostRuns } from '../execution/verified-host-runs.ts'

export interface Means {
  readonly clock: Clock
  readonly runs: HostRuns & HostAdoption
  readonly shell: RemoteShell
  readonly tryLogin: (target: SshTarget, attempt: LoginAttempt) => Promise<LoginObservation>
}

/** Runs over SSH from this machine. */
export function composeRuns(): Means {
  const clock = makeSystemClock()
  const random = makeSystemRandom()
  const means = { shell: makeSshRemoteShell({ clock, random }), clock, random }
  const runs = makeHostRunsByMode({ raw: makeRawHostRuns(means), verified: makeVerifiedHostRuns(means) })
  return {
    clock,
    runs,
    shell: means.shell,
    tryLogin: (target, attempt) => tryLogin({ clock, random }, target, attempt),
  }
}
