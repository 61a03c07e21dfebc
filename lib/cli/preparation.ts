// The script that makes a machine a Verified host: what it must trust, the shim itself, and infra/host/prepare.sh.
import { isNetwork } from '../api/ip-address.ts'
import { SpecError } from '../errors/spec-error.ts'
import { shellQuote } from '../profile/shell-quote.ts'
import { matchesPatternList } from '../signature/pattern-list.ts'
import type { Signer } from '../signature/signer.ts'
import { parseSigners } from '../signature/signers.ts'
import { manifestNamespace, scriptNamespace, signerPrincipal } from '../signature/verify-sshsig.ts'
import { UsageError } from './command.ts'

export interface Preparation {
  /** The login of the control plane. */
  readonly user: string
  /** Its public key, as in a .pub file. */
  readonly loginKey: string
  /** Where it may come from, as sshd's `from` has it. */
  readonly from: string
  /** Lines of authorized_keys or allowed_signers. */
  readonly signers: string
  /** Public keys; empty for none. */
  readonly revoked: string
  /** Whether scripts that are signed without a manifest may run, which can be replayed. */
  readonly acceptsV1: boolean
}

export interface PreparationSources {
  readonly shim: string
  readonly prepare: string
}

const shimPath = '/opt/kpssh/kpssh-shim'
const endOfShim = 'END_OF_SHIM'

/** Throws UsageError, SpecError (KeyInvalid, SignerInvalid). */
export function preparationScript(preparation: Preparation, { shim, prepare }: PreparationSources): string {
  const { user, from } = preparation
  if (!/^(?!root$)[a-z_][a-z0-9_-]{0,31}$/.test(user)) {
    throw new UsageError(`Cannot use --user "${user}": it must be the name of a login that is not root`)
  }
  requireFrom(from)
  requireApart(preparation)
  const variables = {
    login: user,
    authorized_keys: `restrict,command="${shimPath}",from="${from}" ${keyOf(preparation.loginKey, 'login-key')} kpssh`,
    allowed_signers: signersOf(preparation).join('\n'),
    revoked_keys:
      preparation.revoked === '' ? '' : keysOf(preparation.revoked, 'revoked').map(textOf).join('\n'),
  }
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${shellQuote(value)}`)
  return [
    '#!/bin/sh',
    '# Makes this machine a Verified host of kpssh. Run it as root, as often as you like.',
    'set -eu',
    ...assignments,
    `shim_text() { cat <<'${endOfShim}'`,
    `${shim}${endOfShim}`,
    '}',
    prepare,
  ].join('\n')
}

/** One network that is none, and sshd lets nobody in. Throws UsageError. */
function requireFrom(from: string): void {
  if (!/^[A-Za-z0-9.:*?/!,_-]{1,1000}$/.test(from)) {
    throw new UsageError(`Cannot use --from "${from}": it must be addresses, networks or names with commas`)
  }
  for (const pattern of from.split(',')) {
    if (!pattern.includes('/') || isNetwork(pattern.replace(/^!/, ''))) continue
    throw new UsageError(
      `Cannot use --from "${from}": "${pattern}" is no network, give its first address and its length, like 192.0.2.0/24`,
    )
  }
}

/** Throws SpecError (KeyInvalid). */
function requireApart({ loginKey, signers, revoked }: Preparation): void {
  const trusted = keysOf(signers, 'signer').map(textOf)
  if (trusted.includes(keyOf(loginKey, 'login-key'))) {
    throw new SpecError(
      'Cannot use --login-key: it is a signer too, whoever owns the control plane could sign, make another key',
      { reason: 'KeyInvalid' },
    )
  }
  const revokedKeys = revoked === '' ? [] : keysOf(revoked, 'revoked').map(textOf)
  if (trusted.every((key) => revokedKeys.includes(key))) {
    throw new SpecError('Cannot use --revoked: no signer is left that is not revoked, add one to --signer', {
      reason: 'KeyInvalid',
    })
  }
}

function keyOf(text: string, option: string): string {
  const keys = keysOf(text, option)
  const [key] = keys
  if (key !== undefined && keys.length === 1) return textOf(key)
  throw new SpecError(`Cannot use --${option}: it holds ${String(keys.length)} keys, give one public key`, {
    reason: 'KeyInvalid',
  })
}

function keysOf(text: string, option: string): readonly Signer[] {
  const parsed = parseSigners([text])
  if (parsed.kind === 'signers') return parsed.signers
  throw new SpecError(`Cannot use --${option}: ${parsed.message}`, { reason: 'KeyInvalid' })
}

function textOf({ key }: Signer): string {
  return `${key.type} ${key.blob.toString('base64')}`
}

function signersOf({ signers, acceptsV1 }: Preparation): readonly string[] {
  const namespaces = acceptsV1 ? `${manifestNamespace},${scriptNamespace}` : manifestNamespace
  return keysOf(signers, 'signer').map((signer) => {
    requireMeant(signer)
    const options = [
      ...(signer.isAuthority ? ['cert-authority'] : []),
      `namespaces="${namespaces}"`,
      ...(signer.validAfterMs === undefined ? [] : [`valid-after="${timeText(signer.validAfterMs)}"`]),
      ...(signer.validBeforeMs === undefined ? [] : [`valid-before="${timeText(signer.validBeforeMs)}"`]),
    ]
    return `${signerPrincipal} ${options.join(',')} ${textOf(signer)}`
  })
}

/** A line that says for what its key is good must not become good for more here. */
function requireMeant({ line, namespaces, principals }: Signer): void {
  if (namespaces !== undefined && !matchesPatternList(manifestNamespace, namespaces)) {
    throw unmeant(line, `is for namespaces "${namespaces}", it must include ${manifestNamespace}`)
  }
  if (principals !== undefined && !matchesPatternList(signerPrincipal, principals)) {
    throw unmeant(line, `is of "${principals}", it must include ${signerPrincipal}`)
  }
}

function unmeant(line: number, why: string): SpecError {
  return new SpecError(`Cannot trust signer ${String(line)}: its line ${why}`, { reason: 'SignerInvalid' })
}

/** In UTC, as OpenSSH reads it. */
function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().replace(/[-:T]|\.\d+Z$/g, '')}Z`
}
