import { makeSshRemoteShell } from '../lib/adapters/ssh/ssh-remote-shell.ts'
import type { HostRuns } from '../lib/execution/ports.ts'
import { makeRawHostRuns } from '../lib/execution/raw-host-runs.ts'
import type { Parts } from './compose-parts.ts'

export function composeRuns({ runtime: { clock }, random }: Parts): HostRuns {
  return makeRawHostRuns({ shell: makeSshRemoteShell({ clock, random }), clock, random })
}
