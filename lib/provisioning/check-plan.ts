// What must hold of every plan, whatever made it: looked at with other means than planning uses.
import { addAmounts, amountsOf, covers, lacking, noAmounts, type Amounts } from '../api/amounts.ts'
import { readDaemons } from './read-objects.ts'
import { reserveHosts } from './in-flight.ts'
import { usageOf } from './limits.ts'
import { lookAtExisting } from './look-at-existing.ts'
import type { PlannedNodeClaim, ProvisioningPlan } from './plan-provisioning.ts'
import { rankHosts } from './rank-hosts.ts'
import type { ProvisioningSnapshot } from './snapshot.ts'

/** Empty for a sound plan; otherwise a sentence for each thing that is wrong. */
export function checkPlan(plan: ProvisioningPlan, snapshot: ProvisioningSnapshot): readonly string[] {
  const requests = new Map(snapshot.pendingPods.map(({ uid, needs }) => [uid, amountsOf(needs.requests)]))
  return [
    ...podsNotOnce(plan, snapshot),
    ...hostsNotTheirs(plan, snapshot),
    ...plan.nodeClaims.flatMap((each) => requestsTooSmall(each, requests)),
    ...limitsExceeded(plan, snapshot),
    ...nodesOverloaded(plan, snapshot, requests),
  ]
}

function podsNotOnce(plan: ProvisioningPlan, { pendingPods }: ProvisioningSnapshot): readonly string[] {
  const seen = [
    ...plan.nodeClaims.flatMap(({ pods }) => pods),
    ...plan.nominations.map(({ podUid }) => podUid),
    ...plan.unplaced.map(({ uid }) => uid),
  ].sort()
  const wanted = pendingPods.map(({ uid }) => uid).sort()
  return seen.join() === wanted.join() ? [] : ['not every pending pod is decided exactly once']
}

function hostsNotTheirs(plan: ProvisioningPlan, snapshot: ProvisioningSnapshot): readonly string[] {
  const { freeHosts } = reserveHosts(snapshot)
  const problems = plan.nodeClaims.flatMap(({ host: text, nodeClass, body }) => {
    const host = freeHosts.get(nodeClass)?.find((each) => each.text === text)
    if (host === undefined) return [`host ${text} is not free for ${nodeClass}`]
    return rankHosts(body, [host]).length === 1 ? [] : [`host ${text} does not fit its NodeClaim`]
  })
  const texts = plan.nodeClaims.map(({ host }) => host)
  return new Set(texts).size === texts.length ? problems : [...problems, 'two NodeClaims count on one host']
}

function requestsTooSmall(
  { pods, host, body }: PlannedNodeClaim,
  requests: ReadonlyMap<string, Amounts>,
): readonly string[] {
  const ofPods = addAmounts(...pods.map((uid) => requests.get(uid) ?? noAmounts))
  const isEnough = covers(amountsOf(body.spec.resources?.requests), ofPods)
  return isEnough ? [] : [`the NodeClaim for ${host} asks for less than its pods`]
}

function limitsExceeded(plan: ProvisioningPlan, snapshot: ProvisioningSnapshot): readonly string[] {
  const { hosts } = reserveHosts(snapshot)
  const usage = usageOf(
    snapshot.nodeClaims,
    ({ metadata: { uid }, status }) =>
      status?.capacity ?? (snapshot.claimedHosts.get(uid) ?? hosts.get(uid))?.capacity,
  )
  return snapshot.nodePools.flatMap(({ metadata: { name }, spec }) => {
    const planned = plan.nodeClaims.filter(({ nodePool }) => nodePool === name)
    if (spec.limits === undefined || planned.length === 0) return []
    const capacities = planned.map(({ host, nodeClass }) => capacityOf(snapshot, nodeClass, host))
    const total = addAmounts(
      usage.get(name) ?? noAmounts,
      ...capacities,
      amountsOf({ nodes: `${planned.length}` }),
    )
    const limits = amountsOf(spec.limits)
    const limited = new Map([...total].filter(([resource]) => limits.has(resource)))
    return lacking(limited, limits).map((resource) => `pool ${name} exceeds its limit of ${resource}`)
  })
}

function capacityOf({ freeHosts }: ProvisioningSnapshot, nodeClass: string, text: string): Amounts {
  return amountsOf(freeHosts.get(nodeClass)?.find((host) => host.text === text)?.capacity)
}

function nodesOverloaded(
  plan: ProvisioningPlan,
  snapshot: ProvisioningSnapshot,
  requests: ReadonlyMap<string, Amounts>,
): readonly string[] {
  const existing = lookAtExisting(snapshot, reserveHosts(snapshot), readDaemons(snapshot.daemonSets).daemons)
  return [...new Set(plan.nominations.map(({ target }) => target))].flatMap((target) => {
    const pods = plan.nominations.filter((each) => each.target === target)
    const total = addAmounts(...pods.map(({ podUid }) => requests.get(podUid) ?? noAmounts))
    const node = existing.find(({ name }) => name === target)
    return node !== undefined && covers(node.available, total) ? [] : [`${target} is given more than it has`]
  })
}
