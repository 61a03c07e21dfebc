// The options that say which host to reach and how, for every command that does.
import { existsSync } from 'node:fs'
import { defaultShimCommand } from '../api/names.ts'
import { parseKnownHost } from '../execution/known-host.ts'
import type { Secret, SshTarget } from '../execution/ports.ts'
import { UsageError, type Arguments, type OptionSpec } from './command.ts'
import { readText } from './read-input.ts'

export const keyOptions: readonly OptionSpec[] = [
  { name: 'identity', value: 'KEY', isRequired: true, meaning: 'File of the private key.' },
  { name: 'passphrase-file', value: 'FILE', meaning: 'For an encrypted key; a last newline does not count.' },
]

export const sshOptions: readonly OptionSpec[] = [
  {
    name: 'host',
    value: 'USER@ADDR[:PORT]',
    isRequired: true,
    meaning: 'Where to log in. An IPv6 address with a port stands in brackets: root@[fd00::1]:22.',
  },
  ...keyOptions,
  {
    name: 'known-host',
    value: 'X',
    meaning:
      'The host key: a fingerprint, a known_hosts line, a public key line, or a file of them. Without it any key is trusted, and shown.',
  },
  {
    name: 'verified',
    meaning: 'The login reaches nothing but a shim, which runs what an offline key has signed.',
  },
  {
    name: 'shim',
    value: 'COMMAND',
    meaning: `With --verified: what starts the shim. Default: ${defaultShimCommand}`,
  },
]

/** Throws UsageError, SpecError. */
export async function sshTarget(args: Arguments): Promise<SshTarget> {
  const label = args.values['host'] ?? ''
  return { label, ...parseLogin(label), ...(await sshCredentials(args)), ...modeOf(args) }
}

function modeOf({ switches, values }: Arguments): Pick<SshTarget, 'verified'> {
  const shimCommand = values['shim'] ?? defaultShimCommand
  if (switches.has('verified')) return { verified: { shimCommand } }
  if (values['shim'] === undefined) return {}
  throw new UsageError('Cannot use --shim alone: only a host in mode Verified has a shim, add --verified')
}

/** Everything but the address. Throws SpecError. */
export async function sshCredentials({
  values,
}: Arguments): Promise<Pick<SshTarget, 'privateKey' | 'passphrase' | 'pins'>> {
  const passphraseFile = values['passphrase-file']
  const knownHost = values['known-host']
  return {
    privateKey: secret(await readText(values['identity'] ?? '')),
    ...(passphraseFile !== undefined && {
      passphrase: secret((await readText(passphraseFile)).replace(/\r?\n$/, '')),
    }),
    pins:
      knownHost === undefined
        ? []
        : parseKnownHost(existsSync(knownHost) ? await readText(knownHost) : knownHost),
  }
}

export interface Login {
  readonly user: string
  readonly address: string
  readonly port: number
}

/** `USER@ADDR`, `USER@ADDR:PORT`, `USER@[IPV6]:PORT`; a bare IPv6 address has no port. Throws UsageError. */
export function parseLogin(text: string): Login {
  const [, user, bracketed, plain, portText] =
    /^([^@\s]+)@(?:\[([0-9A-Fa-f:.]+)\]|([^@[\]\s:]+|(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]+))(?::([0-9]+))?$/.exec(
      text,
    ) ?? []
  const address = bracketed ?? plain
  const port = portText === undefined ? 22 : Number(portText)
  if (user === undefined || address === undefined || port < 1 || port > 65_535) {
    throw new UsageError(
      `Cannot use host "${text}": it is not USER@ADDR[:PORT], write it like ops@192.0.2.7:22 or root@[fd00::1]:22`,
    )
  }
  return { user, address, port }
}

/** Prints as [secret], whoever prints it. */
function secret(value: string): Secret {
  return { reveal: () => value, ...hidden }
}

const hidden = { toString: () => '[secret]', toJSON: () => '[secret]' }
