import { makeSshRemoteShell } from '../lib/adapters/ssh/ssh-remote-shell.ts'
import { makeHostRunsByMode } from '../lib/execution/host-runs-by-mode.ts'
import type { HostRuns } from '../lib/execution/ports.ts'
import { makeRawHostRuns } from '../lib/execution/raw-host-runs.ts'
import { makeVerifiedHostRuns } from '../lib/execution/verified-host-runs.ts'
import type { Parts } from './compose-parts.ts'

export function composeRuns({ runtime: { clock }, random }: Parts): HostRuns {
  const means = { shell: makeSshRemoteShell({ clock, random }), clock, random }
  return makeHostRunsByMode({ raw: makeRawHostRuns(means), verified: makeVerifiedHostRuns(means) })
}
