// The product as tests use it: runs over real SSH, with short budgets.
import { makeSystemClock } from '../../../lib/adapters/node/clock.ts'
import { makeSystemRandom } from '../../../lib/adapters/node/random.ts'
import { makeSshRemoteShell } from '../../../lib/adapters/ssh/ssh-remote-shell.ts'
import type {
  HostAdoption,
  HostRuns,
  RemoteCommand,
  RemoteShell,
  RunRequest,
} from '../../../lib/execution/ports.ts'
import { makeRawHostRuns } from '../../../lib/execution/raw-host-runs.ts'

const clock = makeSystemClock()
const random = makeSystemRandom()

export const budgets = { connectMs: 3000, handshakeMs: 10_000, authMs: 10_000, commandMs: 30_000 }

export function aShell(options: { readonly keepaliveMs?: number } = {}): RemoteShell {
  return makeSshRemoteShell({ clock, random, ...options })
}

export function someRuns(shell: RemoteShell = aShell()): HostRuns & HostAdoption {
  return makeRawHostRuns({ shell, clock, random, budgets })
}

export function aCommand(command: string, more: Partial<RemoteCommand> = {}): RemoteCommand {
  return { command, stdin: new Uint8Array(), maxOutputBytes: 1_000_000, budgets, ...more }
}

let lastFence = Math.floor(Date.now() / 1000)

/** Each has a higher fence than the one before it. */
export function aRun(script: string, more: Partial<RunRequest> = {}): RunRequest {
  lastFence += 1
  return {
    runId: `run-${String(lastFence)}`,
    phase: 'join',
    fence: lastFence,
    installationID: 'installation-1',
    profile: 'demo@1',
    script,
    environment: {},
    secrets: [],
    timeoutMs: 20_000,
    agentUnits: ['kubelet'],
    ...more,
  }
}
