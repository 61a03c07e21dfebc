// Why the host's program never spoke: sudo, the login shell or bash itself ended before it. Nothing of ours ran.
import type { RemoteResult, RunReport } from './ports.ts'

type Unable = Extract<RunReport, { kind: 'unable' }>

const causes: readonly { readonly reason: string; readonly pattern: RegExp; readonly advice: string }[] = [
  {
    reason: 'SudoNeedsTty',
    pattern: /must have a tty/i,
    advice: 'add the line "Defaults:USER !requiretty" to sudoers with visudo',
  },
  {
    reason: 'SudoNeedsPassword',
    pattern: /password is required|a terminal is required to read the password/i,
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
    advice: 'install sudo or use the user root',
  },
  {
    reason: 'SudoDiskFull',
    pattern: /sudo: .*no space left on device/i,
    advice: 'free space on the disk that sudo writes its log to',
  },
  {
    reason: 'SudoMisconfigured',
    pattern: /sudo: .*(syntax error|parse error|must be owned by uid|no valid sudoers|setuid bit)/i,
    advice: 'repair sudo and check sudoers with visudo -c',
  },
  { reason: 'BashMissing', pattern: /bash: (command )?not found/i, advice: 'install bash' },
  {
    reason: 'LoginRefused',
    pattern: /account is (currently )?not available|no login|nologin/i,
    advice: 'give the user a login shell',
  },
]

export function whyNotStarted(label: string, user: string, result: RemoteResult): Unable {
  const said = `${result.stderr}\n${result.stdout}`
  const cause = causes.find(({ pattern }) => pattern.test(said))
  const reason = cause?.reason ?? (/^sudo: /m.test(result.stderr) ? 'SudoFailed' : 'ShellUnusable')
  const advice = cause?.advice.replaceAll('USER', user) ?? `make "${result.command}" work for this user`
  const line = lastLine(result.stderr) ?? lastLine(result.stdout) ?? 'no output'
  const code = String(result.exitCode ?? result.signal ?? 'none')
  return {
    kind: 'unable',
    reason,
    message: `Cannot run "${result.command}" on "${label}": it ended with ${code} and said "${line}", ${advice}`,
  }
}

function lastLine(text: string): string | undefined {
  const line = text
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/[^\x20-\x7e]/g, ' ')
    .trim()
    .slice(-200)
  return line === '' ? undefined : line
}
