// One attempt at an authenticated connection. Each stage has its own budget, and the first cause of a failure is the one
// that is told. Error handlers stay attached until the socket is destroyed: a late reset must not end the process.
import { connect, type Socket } from 'node:net'
import ssh2 from 'ssh2'
import type { Client, ConnectConfig, ParsedKey } from 'ssh2'
import type { Clock } from '../../ambient/ports.ts'
import type { ControlPlaneError } from '../../errors/control-plane-error.ts'
import { fingerprintOf, type HostKeyType, isHostKeyType, keyTypeOf } from '../../execution/host-key.ts'
import type { SshBudgets, SshTarget } from '../../execution/ports.ts'
import type { HostKeyPin } from '../../hosts/host-record.ts'
import { bareAddress } from './check-target.ts'
import { giveUp } from './give-up.ts'
import {
  type Cause,
  isHostKeyNotOffered,
  type Refusal,
  type Stage,
  translateError,
} from './translate-error.ts'

export interface ConnectionRequest {
  readonly target: SshTarget
  readonly key: ParsedKey
  /** The host key types to propose, most wanted first. */
  readonly hostKeyTypes: readonly HostKeyType[]
  readonly budgets: SshBudgets
  /** A connection that is silent for three times as long is lost. */
  readonly keepaliveMs: number
  readonly signal?: AbortSignal | undefined
  /** Where an agent listens, for who tries to forward it. Never used to log in. */
  readonly agent?: string | undefined
}

export interface Connection {
  readonly client: Client
  /** The key that was authenticated, and others that the server has proven since to have. */
  hostKeys(): readonly HostKeyPin[]
  /** Calls back with the bytes received so far, whatever they were, whenever there are more. */
  onReceived(listener: (bytes: number) => void): void
  /** Resolves when nothing of the connection is left: no socket, no timer. */
  close(): Promise<void>
}

export type ConnectionOutcome =
  | { readonly kind: 'connected'; readonly connection: Connection }
  /** The server showed a key that is not pinned. Nothing was sent. */
  | { readonly kind: 'other-key'; readonly shown: HostKeyPin }
  /** The server has no key of the proposed types. */
  | { readonly kind: 'no-such-key' }
  | { readonly kind: 'failed'; readonly error: ControlPlaneError }

interface Attempt {
  readonly socket: Socket
  readonly client: Client
  readonly hostKeys: HostKeyPin[]
  stage: Stage
  sawBanner: boolean
  /** The key of the handshake, pinned or not. It is proven only when the handshake is over. */
  shown: HostKeyPin | undefined
  refusal: Refusal | undefined
  onReceived: (bytes: number) => void
}

/** Elliptic curves first: finite fields cost the server many times as much. */
const kex = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group-exchange-sha256',
  'diffie-hellman-group14-sha256',
  'diffie-hellman-group16-sha512',
] as const
const keepaliveCount = 3
/** More keys than any sshd has; a server can prove as many as it likes to make. */
const maxHostKeys = 8
/** Far more than banner, keys and login take. */
const maxPreludeBytes = 1024 * 1024
/** How long a connection that is being closed may still flush. */
const closeMs = 1000

export function openConnection(clock: Clock, request: ConnectionRequest): Promise<ConnectionOutcome> {
  const { target, budgets, signal } = request
  const attempt = newAttempt(target)
  const { socket, client } = attempt
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return new Promise((resolve) => {
    const stages = stageTimer(clock, attempt, (budgetMs) => fail({ kind: 'over', budgetMs }))
    const onAbort = () => fail({ kind: 'cancelled' })
    const settle = (outcome: ConnectionOutcome) => {
      stages.stop()
      signal?.removeEventListener('abort', onAbort)
      if (outcome.kind === 'connected') {
        resolve(outcome)
        return
      }
      socket.destroy()
      void closed.then(() => resolve(outcome)) // the first one counts
    }
    const fail = (cause: Cause) => settle(outcomeOf(cause, attempt, target))
    attempt.onReceived = (bytes) => bytes <= maxPreludeBytes || fail({ kind: 'flood' })

    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) onAbort()
    else stages.enter('connect', budgets.connectMs)
    socket.once('connect', () => stages.enter('handshake', budgets.handshakeMs))
    client.on('error', (error) => fail({ kind: 'error', error }))
    client.on('close', () => fail({ kind: 'closed' }))
    client.on('handshake', () => {
      if (attempt.shown !== undefined) attempt.hostKeys.push(attempt.shown)
      stages.enter('auth', budgets.authMs)
    })
    client.on('hostkeys', (keys) => learn(attempt.hostKeys, keys))
    client.on('ready', () =>
      settle({ kind: 'connected', connection: makeConnection(clock, attempt, closed) }),
    )
    client.connect(toClientConfig(request, attempt))
    socket.prependListener('data', (chunk: Buffer) => {
      attempt.sawBanner ||= chunk.includes('SSH-')
      attempt.onReceived(socket.bytesRead)
    })
  })
}

function newAttempt(target: SshTarget): Attempt {
  return {
    socket: connect({ host: bareAddress(target.address), port: target.port, noDelay: true }),
    client: new ssh2.Client(),
    hostKeys: [],
    stage: 'connect',
    sawBanner: false,
    shown: undefined,
    refusal: undefined,
    onReceived: () => undefined,
  }
}

function stageTimer(clock: Clock, attempt: Attempt, onOver: (budgetMs: number) => void) {
  let current = new AbortController()
  const stop = () => giveUp(current)
  const enter = (stage: Stage, budgetMs: number) => {
    stop()
    const mine = (current = new AbortController())
    attempt.stage = stage
    void clock.wait(budgetMs, mine.signal).then(() => mine.signal.aborted || onOver(budgetMs))
  }
  return { enter, stop }
}

function outcomeOf(cause: Cause, attempt: Attempt, target: SshTarget): ConnectionOutcome {
  const { stage, sawBanner, shown, refusal } = attempt
  if (shown !== undefined && !isPinned(target, shown)) return { kind: 'other-key', shown }
  if (isHostKeyNotOffered(cause)) return { kind: 'no-such-key' }
  return { kind: 'failed', error: translateError(cause, { target, stage, sawBanner, refusal }) }
}

function toClientConfig(request: ConnectionRequest, attempt: Attempt): ConnectConfig {
  const { target } = request
  return {
    sock: attempt.socket,
    ...(request.agent !== undefined && { agent: request.agent }),
    username: target.user,
    readyTimeout: 0, // each stage has its own
    keepaliveInterval: request.keepaliveMs,
    keepaliveCountMax: keepaliveCount,
    algorithms: {
      kex: [...kex],
      serverHostKey: request.hostKeyTypes.flatMap(toAlgorithms),
      compress: ['none'], // a packet that unpacks to a thousand times its size would be ours to hold
    },
    hostVerifier: (blob: Buffer) => {
      attempt.shown = toPin(blob)
      return isPinned(target, attempt.shown)
    },
    authHandler: (methodsLeft, isPartial) => {
      // Null at first, whatever the type says.
      if ((methodsLeft as typeof methodsLeft | null) === null) {
        return { type: 'publickey', username: target.user, key: request.key }
      }
      attempt.refusal = { methods: methodsLeft, isPartial }
      return false
    },
  }
}

function toAlgorithms(type: HostKeyType) {
  return type === 'ssh-rsa' ? (['rsa-sha2-512', 'rsa-sha2-256'] as const) : ([type] as const)
}

function toPin(blob: Buffer): HostKeyPin {
  const type = keyTypeOf(blob)
  return { ...(isHostKeyType(type) && { type }), fingerprint: fingerprintOf(blob) }
}

function isPinned({ pins }: SshTarget, shown: HostKeyPin): boolean {
  return pins.length === 0 || pins.some((pin) => pin.fingerprint === shown.fingerprint)
}

function learn(known: HostKeyPin[], keys: readonly ParsedKey[]): void {
  for (const key of keys) {
    if (known.length >= maxHostKeys) return
    if (!isHostKeyType(key.type)) continue
    const fingerprint = fingerprintOf(key.getPublicSSH())
    if (known.every((pin) => pin.fingerprint !== fingerprint)) known.push({ type: key.type, fingerprint })
  }
}

function makeConnection(clock: Clock, attempt: Attempt, closed: Promise<void>): Connection {
  const { client, socket, hostKeys } = attempt
  return {
    client,
    hostKeys: () => hostKeys,
    onReceived(listener) {
      attempt.onReceived = listener
    },
    async close() {
      client.end()
      socket.destroySoon()
      const flushed = new AbortController()
      void clock.wait(closeMs, flushed.signal).then(() => socket.destroy())
      await closed
      giveUp(flushed)
    },
  }
}
