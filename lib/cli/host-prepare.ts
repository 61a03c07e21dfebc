// Prints the script that makes a machine a Verified host, or runs it there over an administrator's login.
import { fileURLToPath } from 'node:url'
import { PhaseError } from '../errors/phase-error.ts'
import { printable } from '../execution/printable.ts'
import { UsageError, type Arguments, type Command } from './command.ts'
import type { Console } from './console.ts'
import { showHostKeys } from './follow-run.ts'
import { loadRuns } from './load-runs.ts'
import { preparationScript } from './preparation.ts'
import { readText } from './read-input.ts'
import { readPublicKeys } from './read-public-keys.ts'
import { keyOptions, parseLogin, sshCredentials, sshOptions } from './ssh-options.ts'

const budgets = { connectMs: 15_000, handshakeMs: 20_000, authMs: 20_000, commandMs: 300_000 }
const keptBytes = 64 * 1024

const shimFile = fileURLToPath(new URL('../../infra/host/kpssh-shim', import.meta.url))
const prepareFile = fileURLToPath(new URL('../../infra/host/prepare.sh', import.meta.url))

export const hostPrepareCommand: Command = {
  noun: 'host',
  verb: 'prepare',
  summary: 'Prints, or runs, what makes a machine a Verified host.',
  positionals: [],
  options: [
    { name: 'verified', isRequired: true, meaning: 'Says what is meant: Raw hosts need no preparation.' },
    {
      name: 'signer',
      value: 'KEYS',
      isRequired: true,
      meaning:
        'Whose signatures the host accepts: a public key, or a file of them, as in authorized_keys or allowed_signers. A line with cert-authority stands for all keys that it certifies.',
    },
    {
      name: 'login-key',
      value: 'KEY',
      isRequired: true,
      meaning: 'The public key that the control plane logs in with, or its file.',
    },
    {
      name: 'from',
      value: 'PATTERNS',
      isRequired: true,
      meaning:
        'Where that key may come from, with commas: addresses, networks, names. An asterisk for anywhere.',
    },
    { name: 'user', value: 'NAME', meaning: 'The login; kpssh if absent.' },
    {
      name: 'revoked',
      value: 'KEYS',
      meaning: 'Public keys, or a file of them, that are never accepted again.',
    },
    {
      name: 'accept-v1',
      meaning:
        'Also run scripts that were signed without a manifest. Whoever owns the control plane can replay them.',
    },
    {
      name: 'run',
      value: 'USER@ADDR[:PORT]',
      meaning: 'Runs it there, as root or with sudo without a password, instead of printing it.',
    },
    ...keyOptions.map((option) => ({ ...option, isRequired: false })),
    ...sshOptions.filter(({ name }) => name === 'known-host'),
  ],
  notes: [
    'Writes the login, the shim, the keys that it trusts, a line of sudoers for the shim alone and a file for sshd, each only if it is not there yet, and checks sudoers and sshd before they take effect: what they do not accept does not stay. Running it again changes nothing, or what is new.',
    'Prove the host from outside afterwards with kpssh host check.',
  ],
  async run(args, console) {
    const sources = { shim: await readText(shimFile), prepare: await readText(prepareFile) }
    const user = args.values['user'] ?? 'kpssh'
    requireAnotherLogin(user, args.values['run'])
    const script = preparationScript(
      {
        user,
        loginKey: await keyText(args, 'login-key'),
        from: args.values['from'] ?? '',
        signers: await keyText(args, 'signer'),
        revoked: await keyText(args, 'revoked'),
        acceptsV1: args.switches.has('accept-v1'),
      },
      sources,
    )
    if (args.values['run'] === undefined) console.out(script)
    else await runThere(args, console, script)
    return 0
  },
}

async function keyText({ values }: Arguments, option: string): Promise<string> {
  const value = values[option]
  return value === undefined ? '' : readPublicKeys(option, value)
}

/** What is prepared reaches nothing but the shim. Throws UsageError. */
function requireAnotherLogin(user: string, label: string | undefined): void {
  if (label === undefined || parseLogin(label).user !== user) return
  throw new UsageError(
    `Cannot prepare "${label}": ${user} is the login that is to reach nothing but the shim, log in as an administrator, or choose another with --user`,
  )
}

/** Throws UsageError, PhaseError (PreparationFailed) and as RemoteShell does. */
async function runThere(args: Arguments, console: Console, script: string): Promise<void> {
  const label = args.values['run'] ?? ''
  if (args.values['identity'] === undefined) {
    throw new UsageError(`Cannot log in to "${label}": no key is given, add --identity KEY`)
  }
  const target = { label, ...parseLogin(label), ...(await sshCredentials(args)) }
  const { shell } = await loadRuns()
  const result = await shell.run(target, {
    command: target.user === 'root' ? 'sh -s' : 'sudo -n sh -s',
    stdin: Buffer.from(script),
    maxOutputBytes: keptBytes,
    maxReceivedBytes: 16 * keptBytes,
    budgets,
  })
  showHostKeys(console, result.hostKeys)
  console.out(printable(result.stdout))
  console.note(printable(result.stderr))
  if (result.reason === 'exited' && result.exitCode === 0) return
  const state =
    result.reason === 'exited' ? `exit code ${String(result.exitCode ?? 'unknown')}` : result.reason
  throw new PhaseError(
    `Cannot prepare "${label}": the script ended with ${state}, see above what is wrong and run it again`,
    { reason: 'PreparationFailed' },
  )
}
