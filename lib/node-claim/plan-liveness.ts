// Liveness: a NodeClaim whose Node does not come within the class's registration timeout, or whose Node somebody deleted,
// is given up; the host is left and released by its termination.
import { conditionOf, isTrue, nodeOf, sshHostOf, type NodeClaimView } from './node-claim-view.ts'
import type { Step } from './step.ts'

export function planLiveness(view: NodeClaimView, nowMs: number): Step | undefined {
  return planHostDeleted(view) ?? planNodeDeleted(view) ?? planTimeout(view, nowMs)
}

/** Deleting an SSHHost takes the machine out of the cluster first; its finalizer waits for that. */
function planHostDeleted(view: NodeClaimView): Step | undefined {
  const sshHost = sshHostOf(view)
  if (sshHost?.metadata.deletionTimestamp === undefined) return undefined
  return {
    kind: 'delete',
    reason: 'HostDeleted',
    message: `SSHHost "${sshHost.metadata.name}" is being deleted`,
  }
}

function planNodeDeleted(view: NodeClaimView): Step | undefined {
  if (!isTrue(view.nodeClaim, 'Registered')) return undefined
  const node = nodeOf(view)
  if (view.nodes.length === 0) {
    const message = `Node "${view.nodeClaim.status?.nodeName ?? ''}" was deleted, its host leaves`
    return { kind: 'delete', reason: 'NodeDeleted', message }
  }
  if (node?.metadata.deletionTimestamp === undefined) return undefined
  return {
    kind: 'delete',
    reason: 'NodeDeleted',
    message: `Node "${node.metadata.name}" is being deleted, its host leaves`,
  }
}

/** A host that joined and shows no Node is to blame: the next NodeClaim must not take it first. */
function planTimeout(view: NodeClaimView, nowMs: number): Step | undefined {
  const { host } = view
  if (host?.claim === undefined || host.claim.failure !== undefined) return undefined
  if (isTrue(view.nodeClaim, 'Registered')) return undefined
  // A claim that was taken in from SSHHost.status does not know when it began.
  const launchedAtMs = Date.parse(conditionOf(view.nodeClaim, 'Launched')?.lastTransitionTime ?? '')
  const sinceMs = host.claim.sinceMs || launchedAtMs || nowMs
  if (nowMs - sinceMs < view.registrationTimeoutMs) return undefined
  const seconds = Math.round(view.registrationTimeoutMs / 1000)
  const cause = {
    reason: 'RegistrationTimeout',
    message: `No Node registered within ${seconds} s of the claim of host "${host.key.name}"`,
  }
  return host.claim.joinedAtMs === undefined
    ? { kind: 'delete', ...cause }
    : { kind: 'fail-claim', host: host.key, ...cause }
}
