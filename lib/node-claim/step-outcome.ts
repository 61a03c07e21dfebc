// What applying a step needs and what comes of it.
import type { Clock } from '../ambient/ports.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { ChangeHost } from '../hosts/change-host.ts'
import type { NodeClaimBindings } from '../hosts/ports.ts'
import type { EventRecorder, Kubernetes, PatchOutcome } from '../kubernetes/ports.ts'
import type { MessageSender } from '../messages/ports.ts'
import type { NodeClaimView } from './node-claim-view.ts'

export interface ApplyDeps {
  readonly cluster: string
  readonly kubernetes: Kubernetes
  readonly changeHost: ChangeHost
  readonly bindings: NodeClaimBindings
  readonly sender: MessageSender
  readonly events: EventRecorder
  readonly clock: Clock
}

export type StepOutcome =
  /** Done; plan again from what is known now. */
  | { readonly kind: 'advanced'; readonly view: NodeClaimView }
  /** Somebody else was faster, or somebody else must do something first. */
  | { readonly kind: 'stopped'; readonly why: string }

export function advanced(view: NodeClaimView): StepOutcome {
  return { kind: 'advanced', view }
}

export function stopped(why: string): StepOutcome {
  return { kind: 'stopped', why }
}

/** The outcome of a patch of the NodeClaim itself. */
export function patched(view: NodeClaimView, outcome: PatchOutcome<NodeClaim>): StepOutcome {
  return outcome.kind === 'patched' ? advanced({ ...view, nodeClaim: outcome.object }) : stopped(outcome.kind)
}
