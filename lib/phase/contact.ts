// One contact with a host, as a value: what came back, or why nothing did. The only place of this room that looks at what
// the transport throws.
import { ControlPlaneError, type ErrorCode } from '../errors/control-plane-error.ts'
import type { Reported } from '../execution/ports.ts'
import type { HostKeyPin } from '../hosts/host-record.ts'

export type Contact<T> =
  | { readonly kind: 'reported'; readonly report: T; readonly hostKeys: readonly HostKeyPin[] }
  /** Refused, timed out, dropped or no login, before anything was started by this contact. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly message: string }
  /** Another key than the pinned one: nothing was sent. */
  | { readonly kind: 'other-key'; readonly reason: string; readonly message: string }
  /** The key or the address of somebody's object cannot be used. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly message: string }

export async function contactHost<T>(attempt: () => Promise<Reported<T>>): Promise<Contact<T>> {
  try {
    return { kind: 'reported', ...(await attempt()) }
  } catch (error) {
    return noContact(error)
  }
}

function noContact(error: unknown): NoContact {
  const outcome = error instanceof ControlPlaneError ? outcomes[error.code] : undefined
  if (!(error instanceof ControlPlaneError) || outcome === undefined) throw error
  return { kind: outcome.kind, reason: error.reason ?? outcome.reason, message: error.message }
}

type NoContact = Exclude<Contact<never>, { kind: 'reported' }>

/** What a contact may fail with; everything else is thrown on. */
const outcomes: Partial<Record<ErrorCode, { readonly kind: NoContact['kind']; readonly reason: string }>> = {
  HOST_UNREACHABLE: { kind: 'unreachable', reason: 'HostUnreachable' },
  HOST_IDENTITY: { kind: 'other-key', reason: 'HostKeyChanged' },
  SPEC: { kind: 'unusable', reason: 'SpecInvalid' },
}
