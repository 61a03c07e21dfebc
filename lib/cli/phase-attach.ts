import { parseScriptPhase } from '../profile/script-phase.ts'
import { UsageError, type Command } from './command.ts'
import { followRun } from './follow-run.ts'
import { loadRuns } from './load-runs.ts'
import { reportOutcome } from './report-outcome.ts'
import { sshOptions, sshTarget } from './ssh-options.ts'

/** Longer than any timeout that a profile may sensibly ask for: the host ends its runs itself. */
const longestWatchMs = 24 * 60 * 60 * 1000

export const phaseAttachCommand: Command = {
  noun: 'phase',
  verb: 'attach',
  summary: 'Watches a run that was started before, or tells how it ended.',
  positionals: [
    { name: 'PHASE', meaning: 'The phase it runs.' },
    { name: 'RUN', meaning: 'Its id, as phase run and host show tell it.' },
  ],
  options: sshOptions,
  notes: ['Shows the output from its beginning. Changes nothing: Ctrl-C stops watching, not the run.'],
  async run(args, console) {
    const [phaseText = '', runId = ''] = args.positionals
    const phase = parseScriptPhase(phaseText)
    if (!/^[A-Za-z0-9-]{1,64}$/.test(runId)) {
      throw new UsageError(
        `Cannot attach to run "${runId}": it is no run id, give letters, digits and dashes`,
      )
    }
    const target = await sshTarget(args)
    const { clock, runs } = await loadRuns()
    const attach = (watch: Parameters<typeof runs.attach>[2]) => runs.attach(target, { runId, phase }, watch)
    const deadlineAtMs = clock.nowMs() + longestWatchMs
    const followed = await followRun(
      { clock, console },
      { label: target.label, deadlineAtMs, begin: attach, attach },
    )
    if (followed.kind === 'ended') reportOutcome(console, phase, followed.outcome)
    return followed.kind === 'ended' ? 0 : 130
  },
}
