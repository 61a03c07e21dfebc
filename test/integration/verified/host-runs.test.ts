import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { AdoptReport, HostAdoption, HostRuns } from '../../../lib/execution/ports.ts'
import { hostRunsContract } from '../../contract/host-runs.contract.ts'
import { needsSshd } from '../../support/sshd/ssh-host.ts'
import { signedRun } from '../../support/sshd/signer.ts'
import { aVerifiedHost, runs, type VerifiedHost } from '../../support/sshd/verified-host.ts'

/** Everything is signed on the way, and the host is adopted by root on its console. */
function signing(host: VerifiedHost): HostRuns & HostAdoption {
  return {
    ...runs,
    start: (target, request, watch) => runs.start(target, signedRun(host.signer, request), watch),
    async adopt(_target, { installationID, fence }) {
      const args = ['adopt', installationID, String(fence)]
      const env = { ...process.env, KPSSH_ROOT: host.root }
      const shim = promisify(execFile)(host.target.verified.shimCommand, args, { env })
      const said = await shim.then(
        ({ stdout }) => stdout,
        (error: unknown) => (error instanceof Error && 'stderr' in error ? String(error.stderr) : ''),
      )
      return { report: toReport(said), hostKeys: [] }
    },
  }
}

function toReport(said: string): AdoptReport {
  const [, before] = /^kpssh-shim: adopted (.*)\n$/.exec(said) ?? []
  if (before !== undefined) return { kind: 'adopted', before }
  const message = /^kpssh-shim: refused: RunInProgress (.*)\n$/.exec(said)?.[1] ?? said
  return { kind: 'refused', reason: 'RunInProgress', message }
}

hostRunsContract(
  'through a shim that checks signatures',
  async (test) => {
    const host = await aVerifiedHost(test)
    return {
      runs: signing(host),
      target: host.target,
      nowMs: () => Date.now(),
      reboot: () => host.reboot(),
    }
  },
  needsSshd,
)
