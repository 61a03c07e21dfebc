// What the lifecycle of a NodeClaim can ask for next. One step at a time: the shell carries it out, looks at what came of
// it, and asks again, so that a NodeClaim goes as far in one activation as the facts allow.
import type { ConditionChange } from '../api/condition.ts'
import type { NodeClaimStatus } from '../api/node-claim.ts'
import type { HostKey } from '../hosts/host-record.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'

export type Step =
  /** Nothing more to do now; `why` is for logs and tests. */
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'claim-host'; readonly candidates: readonly HostKey[] }
  | {
      readonly kind: 'request-phase'
      readonly phase: RunPhaseName
      readonly host: HostKey
      readonly reason: string
    }
  | {
      readonly kind: 'match-node'
      readonly host: HostKey
      readonly providerID: string
      readonly nodeName: string
    }
  | { readonly kind: 'release-host'; readonly host: HostKey }
  /** The host is to blame for what becomes of its claim. */
  | {
      readonly kind: 'fail-claim'
      readonly host: HostKey
      readonly reason: string
      readonly message: string
    }
  | {
      readonly kind: 'update'
      readonly labels?: Readonly<Record<string, string>>
      readonly annotations?: Readonly<Record<string, string>>
      readonly status?: Partial<NodeClaimStatus>
      readonly conditions: readonly ConditionChange[]
    }
  | { readonly kind: 'register-node'; readonly nodeName: string }
  | { readonly kind: 'initialize-node'; readonly nodeName: string }
  /** Taint, then evict what may be evicted; `forceAtMs` is the end of the terminationGracePeriod. */
  | { readonly kind: 'drain'; readonly nodeName: string; readonly forceAtMs: number | undefined }
  | { readonly kind: 'delete-node'; readonly nodeName: string; readonly uid: string }
  /** Gives up on this NodeClaim; the reason becomes an event. */
  | { readonly kind: 'delete'; readonly reason: string; readonly message: string }
  | { readonly kind: 'remove-finalizer' }

/** A request that nobody seems to work on is repeated after this long. */
export const repeatAfterMs = 60_000

export function wait(why: string): Step {
  return { kind: 'wait', why }
}
