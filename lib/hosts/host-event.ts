// Everything that can happen to a host record. transitions.ts says what each leads to, or why it is refused.
import type { Claim, HostKeyPin, Run, Verified } from './host-record.ts'
import type { RunPhaseName } from './phase-name.ts'

/** What is known of a host from its SSHHost object. */
export interface Inventory {
  readonly cluster: string
  readonly address: string
  readonly port: number
  readonly user: string
  readonly nodeAddress?: string
  readonly sshKeySecret: string
  readonly hostClass: string
  readonly agentUnits: readonly string[]
  readonly maintenance: boolean
  /** In execMode Verified: what its scripts are checked with before it is asked to run them. */
  readonly verified?: Verified
}

/** What one probe saw on the host. */
export interface ProbeFacts {
  readonly capacity: { readonly cpu: number; readonly memoryBytes: number }
  readonly arch: string
  readonly agent: 'active' | 'activating' | 'inactive' | 'failed' | 'unknown'
  readonly isOursOnHost: boolean
  /** Highest fence that the host has seen; 0 for none. */
  readonly hostFence: number
  readonly bootID: string
  readonly clockSkewMs: number
  readonly envelope?: number
}

export type RunResult =
  | { readonly kind: 'succeeded' }
  /** The script ran and ended badly, or its deadline ended it. */
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  /** Nobody can know how it ended: a probe decides, never a blind re-run. */
  | { readonly kind: 'indeterminate'; readonly reason: string; readonly message: string }
  /** Nothing was started on the host; `blamesHost` is false for configuration errors. */
  | {
      readonly kind: 'not-started'
      readonly reason: string
      readonly message: string
      readonly blamesHost: boolean
    }
  /** Nothing is left of it on the host, and the phase is tried again under the same claim: as if it had not been started. */
  | { readonly kind: 'withdrawn'; readonly reason: string; readonly message: string }

export type HostEvent =
  /** The SSHHost's spec, labels or annotations say this now. */
  | { readonly kind: 'inventory-seen'; readonly inventory: Inventory }
  /** A NodeClaim takes the host. Raises the fence. */
  | { readonly kind: 'claimed'; readonly claim: Claim; readonly providerID?: string }
  /** A phase is about to be started; written before SSH. Raises the fence; `run.fence` is set by the transition. */
  | {
      readonly kind: 'run-started'
      readonly run: Omit<Run, 'fence'>
      /** The claim this run works for; undefined only for a leave without a claim. */
      readonly claimUid: string | undefined
      /** For join: digest of the leave recipe stored for it. Sets leavePending. */
      readonly leaveRecipe?: string
    }
  /** Another invocation, or the same one again, takes over watching. Refused while somebody else's lease is valid. */
  | {
      readonly kind: 'run-watched'
      readonly runId: string
      readonly holder: string
      readonly leaseUntilMs: number
    }
  | {
      readonly kind: 'run-finished'
      readonly runId: string
      readonly result: RunResult
      /** For a result that rests on nobody else having touched the run: refused if somebody else watches it now. */
      readonly holder?: string
      /** For a successful install. */
      readonly installed?: { readonly marker: string; readonly vars: string }
    }
  /** The Node of the claim was found (Adopt: with the providerID it brought). */
  | {
      readonly kind: 'node-matched'
      readonly uid: string
      readonly providerID: string
      readonly nodeName: string
    }
  /** The claim cannot succeed any more though no run failed: the host joined, and its Node never came. Blames the host. */
  | {
      readonly kind: 'claim-failed'
      readonly uid: string
      readonly reason: string
      readonly message: string
    }
  /** The claim ends. `isClean` false keeps leavePending as it is and leaves the host Unhealthy. */
  | {
      readonly kind: 'released'
      readonly uid: string
      readonly isClean: boolean
      readonly reason?: string
      readonly message?: string
    }
  | { readonly kind: 'token-recorded'; readonly tokenID: string; readonly uid: string }
  | { readonly kind: 'token-collected'; readonly tokenID: string }
  | { readonly kind: 'probed'; readonly facts: ProbeFacts }
  | { readonly kind: 'probe-failed'; readonly reason: string; readonly message: string }
  /** Our agent runs on a host that nobody claims: leave it. Sets leavePending, state Leaving. */
  | { readonly kind: 'zombie-found' }
  | { readonly kind: 'host-keys-learned'; readonly pins: readonly HostKeyPin[] }
  /** Only for a changed host key or a failed verification; only `repinned` lifts it. */
  | { readonly kind: 'quarantined'; readonly reason: string; readonly message: string }
  /** An operator vouches for the machine now behind the address: new pins, no install marker, back to Pending. */
  | { readonly kind: 'repinned'; readonly pins: readonly HostKeyPin[] }

export type HostEventKind = HostEvent['kind']
export type { RunPhaseName }
