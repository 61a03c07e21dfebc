import type { RunRequest, SshTarget } from '../execution/ports.ts'
import type { LeaveRecipe } from '../hosts/ports.ts'
import type { Run } from '../hosts/host-record.ts'
import type { BootstrapToken } from './bootstrap-token.ts'
import type { Redact } from './failure-text.ts'

/** Everything that a start needs, decided: what is left for the shell is to record it and to do it. */
export interface RunPlan {
  readonly target: SshTarget
  readonly request: Omit<RunRequest, 'runId' | 'fence' | 'installationID'>
  readonly redact: Redact
  /** Install: what it installs. */
  readonly installs?: NonNullable<Run['installs']>
  /** Join: how to leave again, stored before anything is joined. */
  readonly recipe?: LeaveRecipe
  /** Join: recorded, then minted, right before the start. */
  readonly token?: {
    readonly token: BootstrapToken
    readonly expiresAtMs: number
    readonly nodeClaim: string
  }
}

export type StartDecision =
  | { readonly kind: 'run'; readonly plan: RunPlan }
  /** Another phase comes first, or is all that is left. */
  | { readonly kind: 'request'; readonly phase: 'install' | 'join'; readonly reason: string }
  /** The NodeClaim is gone, another one, or being deleted. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** Cannot be started, and trying again would not help. */
  | {
      readonly kind: 'refuse'
      readonly reason: string
      readonly message: string
      readonly blamesHost: boolean
    }
