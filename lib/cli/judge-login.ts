// Whether what a login did is all that the login of a Verified host may do: let the shim answer.
import { printableLine } from '../execution/printable.ts'
import type { LoginAttempt, LoginObservation } from '../adapters/ssh/try-login.ts'

export interface Trial {
  readonly name: string
  /** As an attacker would type it. */
  readonly tried: string
  readonly attempt: LoginAttempt
  /** What the shim must have done with it, where it is the shim that answers. */
  readonly exitCode?: number
}

export interface Verdict {
  readonly isHeld: boolean
  readonly happened: string
}

/** A sum, so that a command that is only echoed does not look as if it had run. */
const proof = 'echo kpssh-$((61000+4321))'
const proofSaid = 'kpssh-65321'
const nothing = new Uint8Array()

const script = Buffer.from('touch /tmp/kpssh-check\n').toString('base64')
const forgery = Buffer.from('-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n').toString(
  'base64',
)
const unsigned = `kpssh-envelope: 1\nphase: join\nsig-b64: ${forgery}\nscript-b64: ${script}\n`
/** SSH_FXP_INIT of version 3: what an sftp server answers. */
const sftpHello = Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3])

/** `port`: where the host's own sshd listens, which is sure to be there. */
export function loginTrials(port: number): readonly Trial[] {
  const typed = Buffer.from(`${proof}\nexit\n`)
  const malformed = { exitCode: 4 }
  return [
    { name: 'shell', tried: 'ssh HOST', attempt: { kind: 'shell', stdin: typed }, ...malformed },
    {
      name: 'command',
      tried: `ssh HOST '${proof}'`,
      attempt: { kind: 'exec', command: proof, stdin: nothing },
      ...malformed,
    },
    {
      name: 'command as root',
      tried: `ssh HOST 'sudo -n sh -c "${proof}"'`,
      attempt: { kind: 'exec', command: `sudo -n sh -c "${proof}"`, stdin: nothing },
      ...malformed,
    },
    {
      name: 'script',
      tried: 'ssh HOST bash -s',
      attempt: { kind: 'exec', command: 'bash -s', stdin: typed },
      ...malformed,
    },
    {
      name: 'unsigned script',
      tried: 'an envelope that nobody signed',
      attempt: { kind: 'exec', command: 'true', stdin: Buffer.from(unsigned) },
      exitCode: 2,
    },
    {
      name: 'sftp',
      tried: 'sftp HOST',
      attempt: { kind: 'subsystem', name: 'sftp', stdin: sftpHello },
      ...malformed,
    },
    {
      name: 'scp',
      tried: 'scp HOST:/etc/passwd .',
      attempt: { kind: 'exec', command: 'scp -f /etc/passwd', stdin: Buffer.alloc(4) },
      ...malformed,
    },
    { name: 'terminal', tried: 'ssh -tt HOST', attempt: { kind: 'terminal' } },
    { name: 'connection', tried: 'ssh -L, ssh -W, ssh -D', attempt: { kind: 'connect', port } },
    { name: 'port', tried: 'ssh -R 0:...', attempt: { kind: 'listen' } },
    { name: 'socket', tried: 'ssh -R /tmp/...:...', attempt: { kind: 'listen-socket' } },
    { name: 'agent', tried: 'ssh -A HOST', attempt: { kind: 'agent' } },
    { name: 'X11', tried: 'ssh -X HOST', attempt: { kind: 'x11' } },
    ...['KPSSH_ALLOWED_SIGNERS', 'BASH_ENV', 'LD_PRELOAD', 'LANG'].map((name) => ({
      name: 'environment',
      tried: `ssh -o SetEnv=${name}=...`,
      attempt: { kind: 'environment', name, value: '/nonexistent' } as const,
    })),
  ]
}

/** What is not clearly held counts as not held. */
export function judge(trial: Trial, seen: LoginObservation): Verdict {
  switch (seen.kind) {
    case 'refused':
      return { isHeld: true, happened: `refused: ${shortly(seen.said)}` }
    case 'granted':
      return { isHeld: false, happened: 'GRANTED' }
    case 'silent':
      return { isHeld: false, happened: 'NO ANSWER: something waits there that is not the shim' }
    case 'ran':
      return judgeRun(trial, seen)
  }
}

function judgeRun(
  trial: Trial,
  { exitCode, stdout, stderr }: Extract<LoginObservation, { kind: 'ran' }>,
): Verdict {
  if (`${stdout}${stderr}`.includes(proofSaid)) return { isHeld: false, happened: 'IT RAN' }
  // Of a subsystem sshd passes on no stderr.
  const isMute = trial.attempt.kind === 'subsystem' && stderr === ''
  const isShims = stdout === '' && (isMute || /^(kpssh-shim: [^\n]*\n)+$/.test(stderr))
  if (isShims && exitCode === trial.exitCode) {
    const said = isMute ? `exit code ${String(exitCode)}` : stderr.slice('kpssh-shim: '.length)
    return { isHeld: true, happened: `the shim: ${shortly(said)}` }
  }
  const said = shortly(stdout.trim() === '' ? stderr : stdout)
  return {
    isHeld: false,
    happened: `SOMETHING ELSE ANSWERED (exit code ${String(exitCode ?? 'unknown')}): ${said}`,
  }
}

const mostShown = 80

function shortly(text: string): string {
  const line = printableLine(text.slice(0, 4 * mostShown).trim())
  return line.length <= mostShown ? line : `${line.slice(0, mostShown)}…`
}
