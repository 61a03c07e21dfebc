// Termination: drain the Node, let the host leave, see its Node gone and its claim released, then let go of the object.
// The leave function deletes the Node once the agent has stopped: deleting it first would let the agent register again.
import { annotations, finalizers } from '../api/names.ts'
import { parseDurationMs } from '../api/duration.ts'
import type { Node } from '../api/node.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { conditionOf, isTrue, type NodeClaimView } from './node-claim-view.ts'
import { repeatAfterMs, wait, type Step } from './step.ts'

export function planTermination(view: NodeClaimView, nowMs: number): Step {
  return planDeadline(view) ?? planDeparture(view, nowMs) ?? planNodes(view) ?? { kind: 'remove-finalizer' }
}

function planDeadline(view: NodeClaimView): Step | undefined {
  const { metadata, spec } = view.nodeClaim
  if (spec.terminationGracePeriod === undefined || metadata.deletionTimestamp === undefined) return undefined
  if (metadata.annotations?.[annotations.terminationTimestamp] !== undefined) return undefined
  const graceMs = parseDurationMs(spec.terminationGracePeriod)
  const deadline = new Date(Date.parse(metadata.deletionTimestamp) + graceMs).toISOString()
  return { kind: 'update', annotations: { [annotations.terminationTimestamp]: deadline }, conditions: [] }
}

function planDeparture(view: NodeClaimView, nowMs: number): Step | undefined {
  const { host } = view
  if (host?.claim === undefined) return undefined
  const mayNeedDrain = host.claim.leftAtMs === undefined && isTrue(view.nodeClaim, 'Registered')
  const node = mayNeedDrain ? view.nodes[0] : undefined
  if (node !== undefined && !isTrue(view.nodeClaim, 'Drained')) return drain(view, node)
  return planLeave(view, host, nowMs)
}

function drain(view: NodeClaimView, node: Node): Step {
  if (conditionOf(view.nodeClaim, 'Drained') === undefined) {
    return {
      kind: 'update',
      conditions: [
        { type: 'Drained', status: 'Unknown', reason: 'Draining', message: 'pods are being evicted' },
      ],
    }
  }
  const deadline = view.nodeClaim.metadata.annotations?.[annotations.terminationTimestamp]
  const forceAtMs = deadline === undefined ? Number.NaN : Date.parse(deadline)
  return {
    kind: 'drain',
    nodeName: node.metadata.name,
    forceAtMs: Number.isNaN(forceAtMs) ? undefined : forceAtMs,
  }
}

function planLeave(view: NodeClaimView, host: HostRecord, nowMs: number): Step {
  if (isUnseen(host)) return wait('the host has to be looked at first')
  if (!hasJoined(host)) {
    return host.run === undefined
      ? { kind: 'release-host', host: host.key }
      : wait(`${host.run.phase} is running`)
  }
  const asked = conditionOf(view.nodeClaim, 'InstanceTerminating')
  if (asked?.status !== 'True') {
    return { kind: 'request-phase', phase: 'leave', host: host.key, reason: 'Release' }
  }
  const askedAtMs = Date.parse(asked.lastTransitionTime ?? '')
  const isLost = view.isHeartbeat && host.run === undefined && nowMs - askedAtMs >= repeatAfterMs
  return isLost
    ? { kind: 'request-phase', phase: 'leave', host: host.key, reason: 'Repeat' }
    : wait('leaving')
}

/** Made from a status after the table was lost: whether anything has to leave is a guess until somebody looked, or could not. */
function isUnseen({ takenIn, probedAtMs, run }: HostRecord): boolean {
  return !takenIn && probedAtMs === undefined && run === undefined
}

/** Whether there is a membership to end: without, the host is released as it is. */
function hasJoined({ leavePending, claim }: HostRecord): boolean {
  return leavePending || claim?.leftAtMs !== undefined
}

/**
 * Whatever Node still carries our providerID after the host was left: a Node nobody stands behind any more. A host keeps its
 * providerID, so once somebody else holds it, that Node is theirs.
 */
function planNodes(view: NodeClaimView): Step | undefined {
  if (view.boundTo?.claim !== undefined) return undefined
  const node = view.nodes.find((each) => !isOfAnother(each, view.nodeClaim.metadata.uid))
  if (node === undefined) return undefined
  const isGoing = node.metadata.deletionTimestamp !== undefined
  const isHeld = node.metadata.finalizers?.includes(finalizers.termination) === true
  if (isGoing && !isHeld) return wait('the Node is going')
  return { kind: 'delete-node', nodeName: node.metadata.name, uid: node.metadata.uid }
}

function isOfAnother({ metadata }: Node, uid: string): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.kind === 'NodeClaim' && owner.uid !== uid)
}
