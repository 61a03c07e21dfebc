// Everything that one NodeClaim's lifecycle decides from, gathered before deciding. Instants are milliseconds since 1970.
import { getCondition, isConditionTrue } from '../api/condition.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import type { Condition } from '../api/object-meta.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { hostKeyText, type HostKey, type HostRecord } from '../hosts/host-record.ts'

export interface NodeClaimView {
  readonly nodeClaim: NodeClaim
  /** The host whose claim names this NodeClaim's uid. */
  readonly host: HostRecord | undefined
  /** The host that this NodeClaim was bound to, claimed or not any more. */
  readonly boundTo: HostRecord | undefined
  /** Whether a binding exists at all: its host may be unknown by now. */
  readonly isBound: boolean
  /** By hostKeyText; at least that of the claimed host and of every candidate, if they are still there. */
  readonly sshHosts: ReadonlyMap<string, SSHHost>
  readonly nodeClass: SSHNodeClass | undefined
  /** What the class's Ready condition is by this very activation, with why. */
  readonly classReady: Pick<Condition, 'status' | 'reason' | 'message'>
  /** `<profile>@<version>` and vars digest that a join needs; undefined while the profile is missing. */
  readonly wanted: { readonly marker: string; readonly vars: string } | undefined
  /** Nodes with this NodeClaim's providerID, or (Adopt) with the host's address. */
  readonly nodes: readonly Node[]
  /** Free hosts that satisfy the NodeClaim, best first. */
  readonly candidates: readonly HostKey[]
  /** How long the host may take to appear as a Node. */
  readonly registrationTimeoutMs: number
  /** Requests that got lost are repeated on heartbeats alone. */
  readonly isHeartbeat: boolean
}

/** Inventory of the claimed host. */
export function sshHostOf({ host, sshHosts }: NodeClaimView): SSHHost | undefined {
  return host && sshHosts.get(hostKeyText(host.key))
}

/** The one Node of the NodeClaim; undefined for none and for several. */
export function nodeOf(view: NodeClaimView): Node | undefined {
  return view.nodes.length === 1 ? view.nodes[0] : undefined
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined
}

export function conditionOf(object: Conditioned, type: string): Condition | undefined {
  return getCondition(object.status?.conditions, type)
}

export function isTrue(object: Conditioned, type: string): boolean {
  return isConditionTrue(object.status?.conditions, type)
}

export function isAdopted(view: NodeClaimView): boolean {
  return view.nodeClass?.spec.providerIDSource === 'Adopt'
}
