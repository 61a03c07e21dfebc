// The only place that reads what ssh2 and sockets throw. Above it there are our own errors, each with a reason that names
// the stage in which it happened; until a command was started, every one of them means that nothing ran.
import type { ControlPlaneError } from '../../errors/control-plane-error.ts'
import { HostError } from '../../errors/host-error.ts'
import type { SshTarget } from '../../execution/ports.ts'

export type Stage = 'connect' | 'handshake' | 'auth' | 'channel'

/**
 * Why a connection could not be used. `over`: the stage's budget is spent. `closed`: the other side went away silently.
 * `flood`: it sends without end.
 */
export type Cause =
  | { readonly kind: 'over'; readonly budgetMs: number }
  | { readonly kind: 'closed' }
  | { readonly kind: 'flood' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'error'; readonly error: unknown }

/** What the server said when it refused our key, or when our key alone did not do. */
export interface Refusal {
  readonly methods: readonly string[]
  readonly isPartial: boolean
}

export interface Circumstances {
  readonly target: SshTarget
  readonly stage: Stage
  readonly sawBanner: boolean
  readonly refusal?: Refusal | undefined
}

interface Diagnosis {
  readonly reason: string
  readonly state: string
  readonly required: string
}

const timeoutReasons: Readonly<Record<Stage, string>> = {
  connect: 'ConnectTimeout',
  handshake: 'HandshakeTimeout',
  auth: 'AuthTimeout',
  channel: 'ChannelTimeout',
}

const connectDiagnoses: Readonly<Record<string, Diagnosis>> = {
  ECONNREFUSED: {
    reason: 'ConnectRefused',
    state: 'the port is closed',
    required: 'start sshd or correct the port',
  },
  EHOSTUNREACH: {
    reason: 'ConnectUnreachable',
    state: 'there is no route to it',
    required: 'check the network',
  },
  ENETUNREACH: {
    reason: 'ConnectUnreachable',
    state: 'there is no route to it',
    required: 'check the network',
  },
  ENOTFOUND: {
    reason: 'AddressUnknown',
    state: 'its name cannot be resolved',
    required: 'correct the address',
  },
  EAI_AGAIN: {
    reason: 'AddressUnknown',
    state: 'its name cannot be resolved now',
    required: 'check the resolver',
  },
  ETIMEDOUT: { reason: 'ConnectTimeout', state: 'nothing answers there', required: 'check the host' },
}

export function translateError(cause: Cause, at: Circumstances): ControlPlaneError {
  const { reason, state, required } = diagnose(cause, at)
  const { label, address, port, user } = at.target
  const message = `Cannot connect to "${label}" (${user} at ${address} port ${String(port)}): ${at.stage}: ${state}, ${required}`
  return new HostError(message, {
    reason,
    details: { host: label, stage: at.stage },
    ...(cause.kind === 'error' && { cause: cause.error }),
  })
}

/** True where the server shares no host key type with our proposal: the handshake was over before any key was seen. */
export function isHostKeyNotOffered(cause: Cause): boolean {
  return cause.kind === 'error' && /no matching host key format/.test(textOf(cause.error))
}

function diagnose(cause: Cause, at: Circumstances): Diagnosis {
  switch (cause.kind) {
    case 'over': {
      const state = `no answer in ${String(cause.budgetMs)} ms`
      return { reason: timeoutReasons[at.stage], state, required: 'check the host' }
    }
    case 'cancelled':
      return { reason: 'Cancelled', state: 'it was cancelled', required: 'try again' }
    case 'closed':
      return diagnoseClosed(at)
    case 'flood':
      return {
        reason: 'ServerFloods',
        state: 'it sends more than any server has to say',
        required: 'check what listens there',
      }
    case 'error':
      return diagnoseError(cause.error, at)
  }
}

function diagnoseError(error: unknown, at: Circumstances): Diagnosis {
  const { level, code, reason } = fieldsOf(error)
  const text = textOf(error)
  if (level === 'client-authentication') return diagnoseRefusal(at.refusal)
  if (at.stage === 'connect' && code !== 'ECONNRESET') return diagnoseConnect(code)
  if (at.stage === 'channel' && (typeof reason === 'number' || /unable to exec/i.test(text))) {
    return {
      reason: 'ChannelRefused',
      state: 'the server refused the session',
      required: 'raise MaxSessions or allow commands for this user',
    }
  }
  if (at.stage === 'handshake' && !isGone(code, text)) {
    return {
      reason: 'HandshakeFailed',
      state: 'no agreement was reached',
      required: 'allow curve25519-sha256 and AES on the server',
    }
  }
  return diagnoseClosed(at)
}

function diagnoseConnect(code: unknown): Diagnosis {
  const known = typeof code === 'string' ? connectDiagnoses[code] : undefined
  return known ?? { reason: 'ConnectFailed', state: 'the connection failed', required: 'check the network' }
}

function diagnoseRefusal(refusal: Refusal | undefined): Diagnosis {
  const methods = refusal?.methods ?? []
  const wantsPerson = refusal?.isPartial === true || !methods.includes('publickey')
  return wantsPerson && methods.length > 0
    ? {
        reason: 'InteractiveAuthRequired',
        state: `the server wants ${wordsOf(methods)}`,
        required: 'allow publickey alone for this user',
      }
    : {
        reason: 'AuthFailed',
        state: 'the key was refused',
        required: 'add it to the authorized_keys of this user, and this address to its from=',
      }
}

/** A server may call its methods anything: what is no method's name is not passed on. */
function wordsOf(methods: readonly string[]): string {
  const names = methods.slice(0, 8).filter((method) => /^[a-z0-9@.-]{1,40}$/.test(method))
  return names.length > 0 ? names.join(', ') : 'an unknown method'
}

function diagnoseClosed(at: Circumstances): Diagnosis {
  return (at.stage === 'connect' || at.stage === 'handshake') && !at.sawBanner
    ? {
        reason: 'ClosedBeforeBanner',
        state: 'the server hung up before its banner',
        required: 'raise MaxStartups or check the port',
      }
    : { reason: 'ConnectionLost', state: 'the connection was lost', required: 'try again' }
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
