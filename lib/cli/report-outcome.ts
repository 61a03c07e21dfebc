import { PhaseError } from '../errors/phase-error.ts'
import type { RunOutcome } from '../execution/ports.ts'
import { printable } from '../execution/printable.ts'
import { tail } from '../profile/tail.ts'
import type { Console } from './console.ts'

const maxLines = 20
const maxBytes = 4_096

/** Says how a run ended. Throws PhaseError for a script that did not succeed. */
export function reportOutcome(console: Console, phase: string, outcome: RunOutcome): void {
  if (outcome.kind === 'exited' && outcome.exitCode === 0) {
    console.note(`${phase} succeeded after ${seconds(outcome)}\n`)
    return
  }
  const said = lastLines(outcome.stderrTail.trim() === '' ? outcome.stdoutTail : outcome.stderrTail)
  throw new PhaseError(
    `Cannot finish ${phase}: ${howItEnded(outcome)}, ${said === '' ? 'it printed nothing' : `its last lines are:\n${said}`}`,
    { reason: 'ScriptFailed', details: { phase } },
  )
}

function howItEnded(outcome: RunOutcome): string {
  const { kind, exitCode, failedLine } = outcome
  switch (kind) {
    case 'exited':
      return `the script exited with code ${exitCode ?? 'unknown'}${failedLine === undefined ? '' : ` in line ${failedLine}`} after ${seconds(outcome)}`
    case 'timed-out':
      return `its deadline ended it after ${seconds(outcome)}`
    case 'killed':
      return `it was killed after ${seconds(outcome)}`
    case 'lost':
      return 'a reboot of the host cut it off'
  }
}

function seconds({ durationMs }: RunOutcome): string {
  return `${(durationMs / 1000).toFixed(1)} s`
}

function lastLines(text: string): string {
  return tail(printable(text.trimEnd()).split('\n').slice(-maxLines).join('\n'), maxBytes)
}
