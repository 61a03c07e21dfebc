// One contact with a host, as a value: what came back, or why nothing did. The only place of this room that looks at what
// the transport throws.
import { ControlPlaneError } from '../errors/control-plane-error.ts'
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

function noContact(error: unknown): Exclude<Contact<never>, { kind: 'reported' }> {
  if (!(error instanceof ControlPlaneError)) throw error
  const { code, message } = error
  switch (code) {
    case 'HOST_UNREACHABLE':
      return { kind: 'unreachable', reason: error.reason ?? 'HostUnreachable', message }
    case 'HOST_IDENTITY':
      return { kind: 'other-key', reason: error.reason ?? 'HostKeyChanged', message }
    case 'SPEC':
      return { kind: 'unusable', reason: error.reason ?? 'SpecInvalid', message }
    case 'CONFIG':
    case 'CAPACITY':
    case 'PHASE_FAILED':
    case 'VERIFICATION':
    case 'TRANSIENT':
    case 'LOST_RACE':
      throw error
  }
}
