// Claims whose NodeClaim is gone. A claim is stale if and only if two consistent reads in a row, a list and then the object by
// name, show no NodeClaim of its uid. Any other answer means that nobody knows, and the claim stays. Then the record is read
// again: what was joined must leave first, and only then is released by whoever leaves it.
//
//   list: uid there            alive
//   get:  uid there            alive, it was created meanwhile or the list left it out
//   get:  404 or another uid   stale
//   any error                  unknown: keep
import type { Scope } from '../ambient/ports.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import { isBackingOff } from '../hosts/failures.ts'
import type { Claim, HostRecord } from '../hosts/host-record.ts'
import type { KubernetesReader } from '../kubernetes/ports.ts'
import { nodeClaims } from '../kubernetes/resources.ts'
import { askForLeave } from './ask.ts'
import { confirmed, spared, sumCounts, type GuardCounts } from './guard-counts.ts'
import type { GuardDeps } from './guard-deps.ts'
import { attempted } from './attempted.ts'

export async function checkClaims(
  deps: GuardDeps,
  { cluster, records }: { readonly cluster: string; readonly records: readonly HostRecord[] },
  scope: Scope,
): Promise<GuardCounts> {
  const kubernetes = deps.clusters.connect(cluster)
  const known = await kubernetes.list(nodeClaims)
  const all: Partial<GuardCounts>[] = []
  for (const record of records.filter(({ claim }) => !known.some((nodeClaim) => isOf(nodeClaim, claim)))) {
    const check = () => checkClaim(deps, { kubernetes, record }, scope)
    all.push(await attempted(check, { scope, action: 'check-claim', host: record.key, otherwise: spared }))
  }
  return sumCounts(all)
}

interface Suspect {
  readonly kubernetes: KubernetesReader
  readonly record: HostRecord
}

async function checkClaim(
  deps: GuardDeps,
  { kubernetes, record }: Suspect,
  scope: Scope,
): Promise<Partial<GuardCounts>> {
  const { claim } = record
  if (claim === undefined) return {}
  const nodeClaim = await kubernetes.get(nodeClaims, claim.nodeClaim)
  if (nodeClaim !== undefined && isOf(nodeClaim, claim)) return spared
  return endStaleClaim(deps, record, scope)
}

/** A record rebuilt from a status that told no uid is held by whatever NodeClaim has the name. */
function isOf({ metadata }: NodeClaim, claim: Claim | undefined): boolean {
  return claim?.uid === '' ? metadata.name === claim.nodeClaim : metadata.uid === claim?.uid
}

async function endStaleClaim(
  deps: GuardDeps,
  suspect: HostRecord,
  scope: Scope,
): Promise<Partial<GuardCounts>> {
  const nowMs = scope.clock.nowMs()
  const record = await deps.hosts.get(suspect.key)
  if (record === undefined || !isStillHeldBy(suspect.claim, record)) return spared
  if (mustLeave(record)) {
    if (isBackingOff(record, nowMs)) return spared
    await askForLeave(deps, { record, reason: 'NodeClaimGone' }, nowMs)
    return { ...confirmed, staleClaims: 1 }
  }
  const released = { kind: 'released', uid: suspect.claim?.uid ?? '', isClean: true } as const
  const outcome = await deps.changeHost(record.key, released, nowMs)
  return outcome.kind === 'changed' ? { ...confirmed, staleClaims: 1 } : spared
}

/** A claim with a run is looked at again when that has ended. */
function isStillHeldBy(claim: Claim | undefined, { claim: held, run }: HostRecord): boolean {
  return held !== undefined && held.uid === claim?.uid && run === undefined
}

/** Also after a leave that succeeded: its Node may still have to be removed. */
function mustLeave({ claim, leavePending }: HostRecord): boolean {
  return leavePending || claim?.leftAtMs !== undefined
}
