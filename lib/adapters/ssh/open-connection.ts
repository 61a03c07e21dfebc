// One attempt at an authenticated connection. Each stage has its own budget, and the first cause of a failure is the one
// that is told. Error handlers stay attached until the socket is destroyed: a late reset must not end the process.
import { connect } from 'node:net'
import ssh2 from 'ssh2'
import type { Client, ParsedKey } from 'ssh2'
import type { Clock } from '../../ambient/ports.ts'
import type { ControlPlaneError } from '../../errors/control-plane-error.ts'
import { fingerprintOf, type HostKeyType, isHostKeyType, keyTypeOf } from '../../execution/host-key.ts'
import type { SshBudgets, SshTarget } from '../../execution/ports.ts'
import type { HostKeyPin } from '../../hosts/host-record.ts'
import { bareAddress } from './check-target.ts'
import { type Cause, isHostKeyNotOffered, type Stage, translateError } from './translate-error.ts'

export interface ConnectionRequest {
  readonly target: SshTarget
  readonly key: ParsedKey
  /** The host key types to propose, most wanted first. */
  readonly hostKeyTypes: readonly HostKeyType[]
  readonly learnsHostKeys: boolean
  readonly budgets: SshBudgets
  readonly signal?: AbortSignal | undefined
}

export interface Connection {
  readonly client: Client
  /** The key that was authenticated and those proven since. */
  hostKeys(): readonly HostKeyPin[]
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
const keepaliveMs = 15_000
const keepaliveCount = 3
/** How long a connection that is being closed may still flush. */
const closeMs = 1000

export function openConnection(clock: Clock, request: ConnectionRequest): Promise<ConnectionOutcome> {
  const { target, budgets } = request
  const socket = connect({ host: bareAddress(target.address), port: target.port, noDelay: true })
  const client = new ssh2.Client()
  const hostKeys: HostKeyPin[] = []
  let stage: Stage = 'connect'
  let sawBanner = false
  let shown: HostKeyPin | undefined
  let isRefused = false
  let refusal: { methods: readonly string[]; isPartial: boolean } | undefined
  let stageEnd = new AbortController()

  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))

  return new Promise((resolve) => {
    let isSettled = false
    const settle = (outcome: ConnectionOutcome) => {
      if (isSettled) return
      isSettled = true
      stageEnd.abort()
      request.signal?.removeEventListener('abort', onAbort)
      if (outcome.kind !== 'connected') socket.destroy()
      resolve(outcome)
    }
    const fail = (cause: Cause) => {
      if (isRefused && shown !== undefined) settle({ kind: 'other-key', shown })
      else if (isHostKeyNotOffered(cause)) settle({ kind: 'no-such-key' })
      else settle({ kind: 'failed', error: translateError(cause, { target, stage, sawBanner, refusal }) })
    }
    const onAbort = () => fail({ kind: 'cancelled' })
    const enter = (next: Stage, budgetMs: number) => {
      stageEnd.abort()
      const end = (stageEnd = new AbortController())
      stage = next
      void clock.wait(budgetMs, end.signal).then(() => {
        if (!end.signal.aborted) fail({ kind: 'over', budgetMs })
      })
    }

    enter('connect', budgets.connectMs)
    if (request.signal?.aborted === true) onAbort()
    request.signal?.addEventListener('abort', onAbort)
    socket.once('connect', () => enter('handshake', budgets.handshakeMs))
    client.on('error', (error) => fail({ kind: 'error', error }))
    client.on('close', () => fail({ kind: 'closed' }))
    client.on('handshake', () => {
      if (shown !== undefined) hostKeys.push(shown)
      enter('auth', budgets.authMs)
    })
    client.on('hostkeys', (keys) => hostKeys.push(...toPins(keys, hostKeys)))
    client.on('ready', () =>
      settle({ kind: 'connected', connection: { client, hostKeys: () => hostKeys, close } }),
    )

    client.connect({
      sock: socket,
      username: target.user,
      readyTimeout: 0,
      keepaliveInterval: keepaliveMs,
      keepaliveCountMax: keepaliveCount,
      algorithms: {
        kex: [...kex],
        serverHostKey: request.hostKeyTypes.flatMap((type) =>
          type === 'ssh-rsa' ? (['rsa-sha2-512', 'rsa-sha2-256'] as const) : [type],
        ),
      },
      hostVerifier: (blob: Buffer) => {
        shown = { type: keyTypeOf(blob), fingerprint: fingerprintOf(blob) }
        const { fingerprint } = shown
        isRefused = target.pins.length > 0 && !target.pins.some((pin) => pin.fingerprint === fingerprint)
        return !isRefused
      },
      authHandler: (methodsLeft, isPartial) => {
        if (methodsLeft === null) return { type: 'publickey', username: target.user, key: request.key }
        refusal = { methods: methodsLeft, isPartial }
        return false
      },
    })
    socket.prependListener('data', (chunk: Buffer) => {
      sawBanner ||= chunk.includes('SSH-')
    })
  })

  async function close(): Promise<void> {
    client.end()
    socket.destroySoon()
    const flushed = new AbortController()
    void clock.wait(closeMs, flushed.signal).then(() => socket.destroy())
    await closed
    flushed.abort()
  }
}

function toPins(keys: readonly ParsedKey[], known: readonly HostKeyPin[]): HostKeyPin[] {
  return keys
    .filter((key) => isHostKeyType(key.type))
    .map((key) => ({ type: key.type, fingerprint: fingerprintOf(key.getPublicSSH()) }))
    .filter((pin) => !known.some((other) => other.fingerprint === pin.fingerprint))
}
