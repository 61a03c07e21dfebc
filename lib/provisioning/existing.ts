// Nodes that are there and NodeClaims that will be Nodes: where pods may go before anything new is opened.
import {
  addAmounts,
  amountsOf,
  atLeastZero,
  isOverdrawn,
  noAmounts,
  subtractAmounts,
  type Amounts,
} from '../api/amounts.ts'
import { annotations, labels } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import type { HostPort } from '../api/pod.ts'
import type { Taint } from '../api/taint.ts'
import { overheadOnExisting, type Daemon } from './daemons.ts'
import { hostLabels } from './free-host.ts'
import { isInitialized, isRegistered, lastingTaints } from './node-taints.ts'
import { requirementsOfLabels, type Requirements } from './requirements.ts'
import type { ClaimedHost } from './snapshot.ts'

export interface Existing {
  /** Of the Node, or of the NodeClaim that has none yet. */
  readonly name: string
  readonly isInitialized: boolean
  /** creationTimestamp of the NodeClaim; empty without one. */
  readonly createdAt: string
  /** uids of pods that it was made for. */
  readonly promisedTo: ReadonlySet<string>
  readonly requirements: Requirements
  readonly taints: readonly Taint[]
  readonly available: Amounts
  readonly hostPorts: readonly HostPort[]
}

/** What runs on a node already. */
export interface Load {
  readonly requests: Amounts
  readonly daemonRequests: Amounts
  readonly hostPorts: readonly HostPort[]
}

export const noLoad: Load = { requests: noAmounts, daemonRequests: noAmounts, hostPorts: [] }

export interface ExistingInputs {
  readonly node: Node | undefined
  readonly nodeClaim: NodeClaim | undefined
  /** Of a NodeClaim whose status does not tell its size yet. */
  readonly host: ClaimedHost | undefined
  readonly load: Load
}

/** undefined for one that is full beyond its size, or of which nobody knows the size. */
export function existingOf(inputs: ExistingInputs, daemons: readonly Daemon[]): Existing | undefined {
  const { node, nodeClaim, load } = inputs
  const requirements = requirementsOfLabels(labelsOf(inputs))
  const taints = lastingTaints(node, nodeClaim)
  const overhead = overheadOnExisting(daemons, { requirements, taints })
  const daemonRest = atLeastZero(subtractAmounts(overhead.requests, load.daemonRequests))
  const available = subtractAmounts(sizeOf(inputs), addAmounts(load.requests, daemonRest))
  if (isOverdrawn(available) || available.size === 0) return undefined
  return {
    name: nameOf(inputs),
    isInitialized: nodeClaim === undefined || isInitialized(node),
    createdAt: nodeClaim?.metadata.creationTimestamp ?? '',
    promisedTo: promisesOf(nodeClaim),
    requirements,
    taints,
    available,
    hostPorts: [...load.hostPorts, ...overhead.hostPorts],
  }
}

function promisesOf(nodeClaim: NodeClaim | undefined): ReadonlySet<string> {
  const text = nodeClaim?.metadata.annotations?.[annotations.promisedPods] ?? ''
  return new Set(text.split(',').filter((uid) => uid !== ''))
}

function nameOf({ node, nodeClaim }: ExistingInputs): string {
  return node?.metadata.name ?? nodeClaim?.metadata.name ?? ''
}

/** The NodeClaim's until its Node is registered: only then the Node has them all. */
function labelsOf(inputs: ExistingInputs): Readonly<Record<string, string>> {
  const { node, nodeClaim, host } = inputs
  const ofNode = node?.metadata.labels ?? {}
  const isSettled = nodeClaim === undefined || isRegistered(node)
  const stated = isSettled ? ofNode : { ...(host && hostLabels(host)), ...nodeClaim.metadata.labels }
  return { [labels.hostname]: nameOf(inputs), ...stated }
}

/** A kubelet shows zero of an extended resource until its plugin has started: until then the NodeClaim's word counts. */
function sizeOf({ node, nodeClaim, host }: ExistingInputs): Amounts {
  const ofNode = amountsOf(node?.status?.allocatable)
  if (nodeClaim === undefined || isInitialized(node)) return ofNode
  const promised = amountsOf(nodeClaim.status?.allocatable ?? host?.allocatable)
  const shown = [...ofNode].filter(([, amount]) => amount !== 0n)
  return new Map([...promised, ...shown])
}

/** Initialized ones first, by name; then those on their way, the oldest first, so that newer ones change nothing for them. */
export function compareExisting(a: Existing, b: Existing): number {
  if (a.isInitialized !== b.isInitialized) return a.isInitialized ? -1 : 1
  return sortKey(a) < sortKey(b) ? -1 : 1
}

function sortKey({ isInitialized: isThere, createdAt, name }: Existing): string {
  return isThere ? name : `${createdAt} ${name}`
}
