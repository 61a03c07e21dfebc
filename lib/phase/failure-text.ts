// What people read about a run that ended badly: phase, how it ended, and the last lines of what the script said.
import type { RunOutcome } from '../execution/ports.ts'
import { printable } from '../execution/printable.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'
import { tail } from '../profile/tail.ts'

/** Takes every secret that this invocation knows out of a text. */
export type Redact = (text: string) => string

const maxLines = 20
const maxBytes = 1024

/** Redacts once more before anything is changed or cut, so that nothing can leave half of a secret. */
export function failureText(phase: RunPhaseName, outcome: RunOutcome, redact: Redact): string {
  const said = outcome.stderrTail.trim() === '' ? outcome.stdoutTail : outcome.stderrTail
  const lines = lastLines(printable(redact(said).trimEnd()))
  return `${phase} ${howItEnded(outcome)}${lines === '' ? ', it printed nothing' : `: ${lines}`}`
}

function howItEnded({ kind, exitCode, failedLine, durationMs }: RunOutcome): string {
  const seconds = Math.round(durationMs / 1000)
  switch (kind) {
    case 'exited': {
      const end = exitCode === undefined ? 'ended without an exit code' : `exited with code ${exitCode}`
      return `${end}${failedLine === undefined ? '' : ` at line ${failedLine}`} after ${seconds} s`
    }
    case 'timed-out':
      return `was ended by its deadline after ${seconds} s`
    case 'killed':
      return `was killed after ${seconds} s`
    case 'lost':
      return `was cut off by a reboot of the host`
  }
}

/** The last lines that fit. */
function lastLines(text: string): string {
  return tail(text.split('\n').slice(-maxLines).join('\n'), maxBytes)
}
