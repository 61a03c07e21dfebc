// Proves from outside that the login of a Verified host can do nothing but let the shim answer.
import { defaultShimCommand } from '../api/names.ts'
import { HostError } from '../errors/host-error.ts'
import type { SshTarget } from '../execution/ports.ts'
import type { Command } from './command.ts'
import { showHostKeys } from './follow-run.ts'
import { judge, loginTrials, type Trial, type Verdict } from './judge-login.ts'
import { loadRuns } from './load-runs.ts'
import { withProgress } from './progress.ts'
import { renderTable } from './render-table.ts'
import { parseLogin, sshCredentials, sshOptions } from './ssh-options.ts'

/** As for a host that shows another key: it is not what it was taken for. */
const notHeldExitCode = 77

interface Row extends Trial, Verdict {}

export const hostCheckCommand: Command = {
  noun: 'host',
  verb: 'check',
  summary: 'Proves that the login of a Verified host reaches the shim alone.',
  positionals: [],
  options: [
    ...sshOptions.filter(({ name }) => name !== 'verified' && name !== 'shim'),
    { name: 'shim', value: 'COMMAND', meaning: `What starts the shim. Default: ${defaultShimCommand}` },
  ],
  notes: [
    'Logs in with the key that the control plane has, and tries what somebody would try who has stolen it: a shell, commands, files, forwarding, a terminal, an environment, a script that nobody signed. Shows what was tried and what happened. Runs nothing where the host is as it should be; where it is not, an echo, and a socket below /tmp may stay where sshd makes one.',
    'Ends with exit code 77 if anything but the shim answered, or anything was granted.',
  ],
  async run(args, console) {
    const shimCommand = args.values['shim'] ?? defaultShimCommand
    const label = args.values['host'] ?? ''
    const target: SshTarget = {
      label,
      ...parseLogin(label),
      ...(await sshCredentials(args)),
      verified: { shimCommand },
    }
    const { clock, runs, tryLogin } = await loadRuns()
    const probed = await withProgress({ clock, console, text: `Looking at ${target.label}` }, () =>
      runs.probe(target, { agentUnits: [] }),
    )
    showHostKeys(console, probed.hostKeys)
    if (probed.report.kind === 'unable') {
      throw new HostError(probed.report.message, { reason: probed.report.reason })
    }
    const pinned = { ...target, pins: target.pins.length > 0 ? target.pins : probed.hostKeys }
    const rows: Row[] = []
    for (const trial of loginTrials(target.port)) {
      const text = `Trying on ${target.label}: ${trial.tried}`
      const seen = await withProgress({ clock, console, text }, () => tryLogin(pinned, trial.attempt))
      rows.push({ ...trial, ...judge(trial, seen) })
    }
    console.out(
      `the shim reads envelope ${String(probed.report.envelope ?? 1)}\n\n${table(rows, console.width)}`,
    )
    const open = rows.filter(({ isHeld }) => !isHeld)
    if (open.length === 0) return 0
    console.note(
      `Cannot call "${target.label}" Verified: its login can do more than let the shim answer (${String(open.length)} of ${String(rows.length)}), prepare it with kpssh host prepare and check again\n`,
    )
    return notHeldExitCode
  },
}

function table(rows: readonly Row[], width: number | undefined): string {
  const columns = [
    { title: 'WHAT', text: ({ name }: Row) => name },
    { title: 'HELD', text: ({ isHeld }: Row) => (isHeld ? 'yes' : 'NO') },
    { title: 'TRIED', text: ({ tried }: Row) => tried },
    { title: 'HAPPENED', text: ({ happened }: Row) => happened },
  ]
  return renderTable(columns, rows, width)
}
