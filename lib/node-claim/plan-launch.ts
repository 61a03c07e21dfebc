// Launch: from a NodeClaim to a claimed host that has been asked to join, and on to `Launched`. A NodeClaim takes one host
// ever: when that claim has ended, so has the NodeClaim.
import { capacityTypeOnDemand, defaultZone, labels } from '../api/names.ts'
import { claimFailureOf } from '../hosts/claim-failure.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { staticProviderID } from '../hosts/provider-id.ts'
import { hostSize } from './host-size.ts'
import { conditionOf, isAdopted, isTrue, nodeOf, sshHostOf, type NodeClaimView } from './node-claim-view.ts'
import { nodeClaimHash } from './node-claim-hash.ts'
import { repeatAfterMs, wait, type Step } from './step.ts'

export const hostClaimed = 'HostClaimed'

export function planLaunch(view: NodeClaimView, nowMs: number): Step | undefined {
  if (view.host === undefined) return isTrue(view.nodeClaim, 'Launched') ? lostHost(view) : planClaim(view)
  if (view.host.claim?.failure !== undefined) {
    const { reason, message } = view.host.claim.failure
    return { kind: 'delete', reason, message }
  }
  return planLaunched(view, view.host) ?? planPhase(view, view.host, nowMs)
}

function planClaim(view: NodeClaimView): Step {
  if (view.isBound && (view.boundTo === undefined || hasEnded(view))) return lostHost(view)
  if (view.classReady.status === 'Unknown') return wait('node class readiness is unknown')
  if (view.classReady.status === 'False') {
    const message =
      `SSHNodeClass is not ready: ${view.classReady.reason ?? ''} ${view.classReady.message ?? ''}`.trim()
    return { kind: 'delete', reason: 'NodeClassNotReady', message }
  }
  if (view.boundTo !== undefined) return { kind: 'claim-host', candidates: [view.boundTo.key] }
  if (view.candidates.length === 0) {
    return {
      kind: 'delete',
      reason: 'InsufficientCapacityError',
      message: 'No free host satisfies the requirements and requests of this NodeClaim',
    }
  }
  return { kind: 'claim-host', candidates: view.candidates }
}

/** Whether the bound host had been claimed and is not any more, as opposed to bound by a run that died before claiming. */
function hasEnded(view: NodeClaimView): boolean {
  const uid = view.nodeClaim.metadata.uid
  return (
    view.boundTo?.failures?.nodeClaimUid === uid ||
    conditionOf(view.nodeClaim, 'Launched')?.reason === hostClaimed
  )
}

function lostHost(view: NodeClaimView): Step {
  const { uid } = view.nodeClaim.metadata
  const failure = view.boundTo && claimFailureOf(view.boundTo, uid)
  if (failure !== undefined) return { kind: 'delete', ...failure }
  return {
    kind: 'delete',
    reason: 'HostReleased',
    message: 'The host of this NodeClaim does not belong to it any more',
  }
}

/** Static: launched with the claim, since the providerID is ours to say. Adopt: launched when the Node brings it. */
function planLaunched(view: NodeClaimView, host: HostRecord): Step | undefined {
  if (isTrue(view.nodeClaim, 'Launched')) return undefined
  if (!isAdopted(view)) return launchedUpdate(view, host, staticProviderID(host.key))
  const providerID = nodeOf(view)?.spec?.providerID ?? ''
  if (providerID !== '' && host.claim?.joinedAtMs !== undefined) return launchedUpdate(view, host, providerID)
  if (conditionOf(view.nodeClaim, 'Launched')?.reason === hostClaimed) return undefined
  const message = `claimed ${host.key.namespace}/${host.key.name}, whose Node will bring the providerID`
  return {
    kind: 'update',
    conditions: [{ type: 'Launched', status: 'Unknown', reason: hostClaimed, message }],
  }
}

function launchedUpdate(view: NodeClaimView, host: HostRecord, providerID: string): Step {
  const sshHost = sshHostOf(view)
  return {
    kind: 'update',
    // Labels that the NodeClaim already has win: the shell merges them over these.
    labels: {
      [labels.instanceType]: host.hostClass,
      [labels.zone]: sshHost?.spec.zone ?? defaultZone,
      [labels.capacityType]: capacityTypeOnDemand,
      [labels.os]: 'linux',
      ...(host.arch === undefined ? {} : { [labels.arch]: host.arch }),
      ...(view.nodeClass === undefined ? {} : { [labels.nodeClass]: view.nodeClass.metadata.name }),
    },
    annotations: nodeClaimHash(view.nodeClass),
    status: { providerID, ...hostSize(sshHost, view.nodeClass) },
    conditions: [{ type: 'Launched', status: 'True' }],
  }
}

function planPhase(view: NodeClaimView, host: HostRecord, nowMs: number): Step | undefined {
  const claim = host.claim
  if (claim === undefined || claim.joinedAtMs !== undefined || host.run !== undefined) return undefined
  if (!view.isHeartbeat || nowMs - claim.sinceMs < repeatAfterMs) return undefined
  return { kind: 'request-phase', phase: firstPhase(view, host), host: host.key, reason: 'Repeat' }
}

/** Install if another profile version or other vars were installed than the node class wants, else join at once. */
export function firstPhase(view: NodeClaimView, host: HostRecord): 'install' | 'join' {
  const isInstalled = host.installed === view.wanted?.marker && host.installedVars === view.wanted?.vars
  return isInstalled ? 'join' : 'install'
}
