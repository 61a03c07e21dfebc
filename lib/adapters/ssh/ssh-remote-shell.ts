// RemoteShell over ssh2: one connection and one channel for each command, host keys as they are pinned, and patience with
// a server that is busy, within the budget.
import { createHash } from 'node:crypto'
import type { ParsedKey } from 'ssh2'
import type { Clock, Random } from '../../ambient/ports.ts'
import { HostIdentityError } from '../../errors/host-identity-error.ts'
import { type HostKeyType, hostKeyTypes, isHostKeyType } from '../../execution/host-key.ts'
import type { RemoteShell, SshTarget } from '../../execution/ports.ts'
import type { HostKeyPin } from '../../hosts/host-record.ts'
import { checkCommand, checkTarget } from './check-target.ts'
import { type Connection, openConnection } from './open-connection.ts'
import { parsePrivateKey } from './private-key.ts'
import { type Errand, runCommand } from './run-command.ts'

export interface SshRemoteShellOptions {
  readonly clock: Clock
  readonly random: Random
  readonly keepaliveMs?: number
  readonly agent?: string
}

/** Far below the 350 s after which network address translators forget a silent connection. */
export const defaultKeepaliveMs = 15_000

const cachedKeys = 64

export function makeSshRemoteShell(options: SshRemoteShellOptions): RemoteShell {
  const keys = new Map<string, ParsedKey>()
  return {
    async run(target, command) {
      checkTarget(target)
      checkCommand(command)
      const key = cachedKey(keys, target)
      const connection = await connectAsPinned(options, key, { target, command })
      try {
        return await runCommand(options.clock, connection, { target, command })
      } finally {
        await connection.close()
      }
    },
  }
}

/** Opening an encrypted key takes a good part of a second, on purpose; it is done once. */
function cachedKey(keys: Map<string, ParsedKey>, target: SshTarget): ParsedKey {
  const hash = createHash('sha256').update(
    `${target.passphrase?.reveal() ?? ''}\0${target.privateKey.reveal()}`,
  )
  const digest = hash.digest('base64')
  const key = keys.get(digest) ?? parsePrivateKey(target.privateKey, target.passphrase)
  if (keys.size >= cachedKeys) keys.clear()
  keys.set(digest, key)
  return key
}

/** Throws as RemoteShell does. Whoever asks closes it. */
export async function connectAsPinned(
  options: SshRemoteShellOptions,
  key: ParsedKey,
  errand: Errand,
): Promise<Connection> {
  const shown: HostKeyPin[] = []
  for (const types of proposalsFor(errand.target.pins)) {
    const outcome = await connectPatiently(options, key, { ...errand, types })
    if (outcome.kind === 'connected') return outcome.connection
    if (outcome.kind === 'failed') throw outcome.error
    if (outcome.kind === 'other-key') shown.push(outcome.shown)
  }
  throw otherIdentity(errand.target, shown)
}

/**
 * With no pin every type is proposed; with pins only theirs. A bare fingerprint does not say its type, so each type is
 * tried in a handshake of its own, which ends before any authentication unless the key is the pinned one.
 */
function proposalsFor(pins: readonly HostKeyPin[]): (readonly HostKeyType[])[] {
  if (pins.length === 0) return [hostKeyTypes]
  const pinned = hostKeyTypes.filter((type) => pins.some((pin) => pin.type === type))
  const isBare = pins.some((pin) => pin.type === undefined || !isHostKeyType(pin.type))
  const others = isBare ? hostKeyTypes.filter((type) => !pinned.includes(type)).map((type) => [type]) : []
  return pinned.length > 0 ? [pinned, ...others] : others
}

/** A server that hangs up before its banner has too many guests: try again, with jitter, while the budget lasts. */
async function connectPatiently(
  { clock, random, keepaliveMs = defaultKeepaliveMs, agent }: SshRemoteShellOptions,
  key: ParsedKey,
  { target, command, types }: Errand & { readonly types: readonly HostKeyType[] },
): ReturnType<typeof openConnection> {
  const { budgets, signal } = command
  const deadlineMs = clock.nowMs() + budgets.connectMs + budgets.handshakeMs
  for (let attempt = 1; ; attempt++) {
    const outcome = await openConnection(clock, {
      target,
      key,
      hostKeyTypes: types,
      budgets,
      keepaliveMs,
      signal,
      agent,
    })
    const isBusy = outcome.kind === 'failed' && outcome.error.reason === 'ClosedBeforeBanner'
    const delayMs = 100 + random.below(Math.min(3000, 200 * 2 ** attempt))
    if (!isBusy || clock.nowMs() + delayMs >= deadlineMs || signal?.aborted === true) return outcome
    await clock.wait(delayMs, signal)
  }
}

function otherIdentity(target: SshTarget, shown: readonly HostKeyPin[]): HostIdentityError {
  const pinned = fingerprints(target.pins)
  const seen = fingerprints(shown)
  const state = seen === '' ? 'it has no key of a pinned type' : `it shows the host key ${seen}`
  return new HostIdentityError(
    `Cannot trust "${target.label}": ${state}, pinned is ${pinned}; if the machine was replaced, pin its new key`,
    { reason: 'HostKeyChanged', details: { host: target.label, pinned, shown: seen } },
  )
}

/** A Secret that many hosts share may pin the keys of all of them. */
const mostTold = 8

function fingerprints(pins: readonly HostKeyPin[]): string {
  const told = pins.slice(0, mostTold).map((pin) => pin.fingerprint)
  return [...told, ...(pins.length > mostTold ? [`and ${String(pins.length - mostTold)} more`] : [])].join(
    ' ',
  )
}
