// The only place that reads what ssh2 and sockets throw. Above it there are our own errors, each with a reason that names
// the stage in which it happened; until a command was started, every one of them means that nothing ran.
import type { ControlPlaneError } from '../../errors/control-plane-error.ts'
import { HostError } from '../../errors/host-error.ts'
import type { SshTarget } from '../../execution/ports.ts'

export type Stage = 'connect' | 'handshake' | 'auth' | 'channel'

/** Why a connection could not be used. `over`: the stage's budget is spent. `closed`: the other side went away silently. */
export type Cause =
  | { readonly kind: 'over'; readonly budgetMs: number }
  | { readonly kind: 'closed' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'error'; readonly error: unknown }

export interface Circumstances {
  readonly target: SshTarget
  readonly stage: Stage
  readonly sawBanner: boolean
  /** What the server said when it refused our key. */
  readonly refusal?: { readonly methods: readonly string[]; readonly isPartial: boolean } | undefined
}

const timeoutReasons: Readonly<Record<Stage, string>> = {
  connect: 'ConnectTimeout',
  handshake: 'HandshakeTimeout',
  auth: 'AuthTimeout',
  channel: 'ChannelTimeout',
}

export function translateError(cause: Cause, at: Circumstances): ControlPlaneError {
  switch (cause.kind) {
    case 'over':
      return failure(
        at,
        timeoutReasons[at.stage],
        `no answer in ${String(cause.budgetMs)} ms`,
        'check the host',
      )
    case 'cancelled':
      return failure(at, 'Cancelled', 'it was cancelled', 'try again')
    case 'closed':
      return closed(at)
    case 'error':
      return fromError(cause.error, at)
  }
}

/** True where the server shares no host key type with our proposal: the handshake was over before any key was seen. */
export function isHostKeyNotOffered(cause: Cause): boolean {
  return cause.kind === 'error' && /no matching host key format/.test(textOf(cause.error))
}

function fromError(error: unknown, at: Circumstances): ControlPlaneError {
  const { level, code, reason } = fieldsOf(error)
  if (level === 'client-authentication') return authFailure(at, error)
  if (at.stage === 'channel' && (typeof reason === 'number' || /unable to exec/i.test(textOf(error)))) {
    return failure(
      at,
      'ChannelRefused',
      'the server refused the session',
      'raise MaxSessions or allow commands',
      error,
    )
  }
  if (at.stage === 'connect') return connectFailure(at, code, error)
  if (isGone(code, textOf(error))) return closed(at, error)
  if (at.stage === 'handshake') {
    return failure(
      at,
      'HandshakeFailed',
      'no agreement was reached',
      'allow curve25519-sha256 and AES on the server',
      error,
    )
  }
  return closed(at, error)
}

function connectFailure(at: Circumstances, code: unknown, error: unknown): ControlPlaneError {
  switch (code) {
    case 'ECONNREFUSED':
      return failure(at, 'ConnectRefused', 'the port is closed', 'start sshd or correct the port', error)
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return failure(at, 'ConnectUnreachable', 'there is no route to it', 'check the network', error)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failure(at, 'AddressUnknown', 'its name cannot be resolved', 'correct the address', error)
    case 'ETIMEDOUT':
      return failure(at, 'ConnectTimeout', 'nothing answers there', 'check the host', error)
    default:
      return failure(at, 'ConnectFailed', 'the connection failed', 'check the network', error)
  }
}

function authFailure(at: Circumstances, error: unknown): ControlPlaneError {
  const methods = at.refusal?.methods ?? []
  const wantsPerson = at.refusal?.isPartial === true || !methods.includes('publickey')
  if (wantsPerson && methods.length > 0) {
    const state = `the server wants ${methods.join(', ')}`
    return failure(at, 'InteractiveAuthRequired', state, 'allow publickey alone for this user', error)
  }
  return failure(at, 'AuthFailed', 'the key was refused', 'add it to the authorized_keys of this user', error)
}

function closed(at: Circumstances, error?: unknown): ControlPlaneError {
  return at.stage === 'handshake' && !at.sawBanner
    ? failure(
        at,
        'ClosedBeforeBanner',
        'the server hung up before its banner',
        'raise MaxStartups or check the port',
        error,
      )
    : failure(at, 'ConnectionLost', 'the connection was lost', 'try again', error)
}

function failure(
  at: Circumstances,
  reason: string,
  state: string,
  required: string,
  cause?: unknown,
): HostError {
  const { label, address, port, user } = at.target
  const message = `Cannot connect to "${label}" (${user}@${address} port ${String(port)}): ${at.stage}: ${state}, ${required}`
  return new HostError(message, { reason, details: { host: label, stage: at.stage }, cause })
}

function isGone(code: unknown, text: string): boolean {
  return (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    /connection lost before handshake|no response from server|not connected|keepalive timeout/i.test(text)
  )
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

function fieldsOf(error: unknown): {
  readonly level?: unknown
  readonly code?: unknown
  readonly reason?: unknown
} {
  return typeof error === 'object' && error !== null ? error : {}
}
