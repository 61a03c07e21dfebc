// Why the host's program never spoke: sudo, the login shell or bash itself ended before it. Nothing of ours ran.
import { toFact } from './host-words.ts'
import type { RemoteResult, RunReport } from './ports.ts'

type Unable = Extract<RunReport, { kind: 'unable' }>

interface Cause {
  readonly reason: string
  readonly pattern: RegExp
  readonly advice: string
}

/** Of a login that was asked for a shell and not for a shim. */
const loginForced: Cause = {
  reason: 'LoginForced',
  pattern: /^kpssh-shim: /m,
  advice:
    'its login reaches a shim alone: set execMode: Verified in its SSHHost, add --verified to a phase by hand',
}

/** The first that matches counts: sudo also asks for a password when its configuration is broken. */
const causes: readonly Cause[] = [
  {
    reason: 'SudoMisconfigured',
    pattern: /sudoers.*(syntax error|world writable|owned by)|no valid sudoers|effective uid is not 0/i,
    advice: 'repair sudo and check it with visudo -c',
  },
  {
    reason: 'SudoNeedsTty',
    pattern: /must have a tty/i,
    advice: 'add the line "Defaults:USER !requiretty" to sudoers with visudo',
  },
  {
    reason: 'SudoNeedsPassword',
    pattern: /password is required/i,
    advice: 'add the line "USER ALL=(ALL) NOPASSWD: ALL" to sudoers with visudo',
  },
  {
    reason: 'SudoDenied',
    pattern: /not in the sudoers file|not allowed to (execute|run)|may not run sudo/i,
    advice: 'add the line "USER ALL=(ALL) NOPASSWD: ALL" to sudoers with visudo',
  },
  {
    reason: 'SudoMissing',
    pattern: /sudo: (command )?not found/i,
    advice: 'install sudo or log in as root',
  },
  {
    reason: 'SudoCannotLog',
    pattern: /sudo: .*no space left on device/i,
    advice: 'free space on the disk that sudo logs to',
  },
  {
    reason: 'BashMissing',
    pattern: /bash: (command )?not found/i,
    advice: 'install bash',
  },
  {
    reason: 'LoginRefused',
    pattern: /account is (currently )?not available|nologin/i,
    advice: 'give the user a login shell',
  },
]

/** What ended a login is said last and briefly; patterns take long over a text that somebody made for them. */
const longestSaid = 4096

export function whyNotStarted(label: string, user: string, result: RemoteResult): Unable {
  const { reason, advice } = causeOf(result)
  const line = lastLine(result.stderr) ?? lastLine(result.stdout) ?? 'no output'
  const code = toFact(String(result.exitCode ?? result.signal ?? 'none'))
  const state = `it ended with ${code} and said "${line}"`
  const required = advice.replaceAll('USER', user)
  return {
    kind: 'unable',
    reason,
    message: `Cannot run "${result.command}" on "${label}": ${state}, ${required}`,
  }
}

function causeOf({ command, exitCode, stdout, stderr }: RemoteResult): Omit<Cause, 'pattern'> {
  const said = `${stderr.slice(-longestSaid)}\n${stdout.slice(-longestSaid)}`
  const isSudo = command.startsWith('sudo ') && exitCode === 1
  const unknown = {
    reason: isSudo ? 'SudoFailed' : 'ShellUnusable',
    advice: `make "${command}" work for USER`,
  }
  const known = command.endsWith('bash -s') ? [loginForced, ...causes] : causes
  return known.find(({ pattern }) => pattern.test(said)) ?? unknown
}

function lastLine(text: string): string | undefined {
  const line = text.trim().split('\n').at(-1) ?? ''
  const printable = line
    .replace(/[^\x20-\x7e]/g, ' ')
    .trim()
    .slice(-200)
  return printable === '' ? undefined : printable
}
