// Provisioning: which NodeClaims to make so that pending pods find a node. Decides from a snapshot alone; the same
// snapshot gives the same plan. Never opens more NodeClaims than there are free hosts, whichever pools share them.
import { SpecError } from '../errors/spec-error.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { PendingPod } from '../messages/cluster-observed.ts'
import { hostOf } from './assignment.ts'
import { compareDemands, demandOf, type Demand } from './demand.ts'
import { lookAtExisting } from './look-at-existing.ts'
import { reserveHosts } from './in-flight.ts'
import { roomOf, usageOf } from './limits.ts'
import { servingNeighbor } from './neighbor.ts'
import { nodeClaimBody, type NodeClaimBody } from './node-claim-object.ts'
import { offersOf } from './offer.ts'
import { pack } from './pack.ts'
import type { Nomination, Packing } from './packing.ts'
import { podProblem } from './pod-problems.ts'
import { readDaemons, readTemplates } from './read-objects.ts'
import type { ProvisioningSnapshot } from './snapshot.ts'
import type { Template } from './template.ts'
import type { Reason, UnplacedPod } from './unplaced.ts'

export interface PlannedNodeClaim {
  readonly nodePool: string
  readonly nodeClass: string
  /** Text of a free host that it can have; launching chooses anew among what is free then. */
  readonly host: string
  /** uids of the pods it is made for. */
  readonly pods: readonly string[]
  readonly body: NodeClaimBody
}

export interface ProvisioningPlan {
  readonly nodeClaims: readonly PlannedNodeClaim[]
  /** Pods that will fit on what is there or on its way. */
  readonly nominations: readonly Nomination[]
  readonly unplaced: readonly UnplacedPod[]
  /** Objects that could not be read and were left out: `NodePool "p": …`. */
  readonly problems: readonly string[]
}

export function planProvisioning(snapshot: ProvisioningSnapshot): ProvisioningPlan {
  const reservations = reserveHosts(snapshot)
  const { templates, neighbors, problems } = readTemplates(snapshot.nodePools)
  const { daemons, problems: daemonProblems } = readDaemons(snapshot.daemonSets)
  const { demands, unplaced } = sift(snapshot.pendingPods, { templates, neighbors })
  const offers = new Map(
    templates.map((template) => {
      const free = reservations.freeHosts.get(template.nodeClass) ?? []
      return [template.name, offersOf(template, free, daemons)] as const
    }),
  )
  const capacityOf = ({ metadata: { uid }, status }: NodeClaim) =>
    status?.capacity ?? (snapshot.claimedHosts.get(uid) ?? reservations.hosts.get(uid))?.capacity
  const usage = usageOf(snapshot.nodeClaims, capacityOf)
  const packing = pack(demands, lookAtExisting(snapshot, reservations, daemons), {
    templates,
    offersOf: ({ name }) => offers.get(name) ?? [],
    roomOf: (template, drafts) => roomOf(template, usage, drafts),
    hosts: [...new Set([...reservations.freeHosts.values()].flat().map(({ text }) => text))],
  })
  return {
    nodeClaims: plannedNodeClaims(packing),
    nominations: packing.nominations,
    unplaced: [
      ...unplaced,
      ...packing.unplaced.map(({ demand, reasons }) => unplacedPod(demand.pod, reasons)),
    ],
    problems: [...problems, ...daemonProblems],
  }
}

/** Pods that are worth a try, largest first, and the others with the reason. */
function sift(
  pods: readonly PendingPod[],
  {
    templates,
    neighbors,
  }: { readonly templates: readonly Template[]; readonly neighbors: readonly Template[] },
): { readonly demands: readonly Demand[]; readonly unplaced: readonly UnplacedPod[] } {
  const mayBearSoftTaints = templates.some(({ taints }) =>
    taints.some(({ effect }) => effect === 'PreferNoSchedule'),
  )
  const demands: Demand[] = []
  const unplaced: UnplacedPod[] = []
  for (const pod of pods) {
    const read = readDemand(pod, mayBearSoftTaints)
    const reason = 'code' in read ? read : obstacle(read, { templates, neighbors })
    if (reason !== undefined) unplaced.push(unplacedPod(pod, [reason]))
    else if (!('code' in read)) demands.push(read)
  }
  return { demands: demands.sort(compareDemands), unplaced }
}

function readDemand(pod: PendingPod, mayBearSoftTaints: boolean): Demand | Reason {
  const problem = podProblem(pod)
  if (problem !== undefined) return problem
  try {
    return demandOf(pod, { mayBearSoftTaints })
  } catch (error) {
    if (error instanceof SpecError) return { code: 'PodInvalid', message: error.message }
    throw error
  }
}

function obstacle(
  demand: Demand,
  {
    templates,
    neighbors,
  }: { readonly templates: readonly Template[]; readonly neighbors: readonly Template[] },
): Reason | undefined {
  if (templates.length === 0) return { code: 'NoNodePool', message: 'no NodePool of SSHNodeClasses is Ready' }
  const neighbor = servingNeighbor(demand, neighbors)
  if (neighbor === undefined) return undefined
  return {
    code: 'LeftToNeighbor',
    nodePool: neighbor,
    message: 'a NodePool of another node class could serve it',
  }
}

function unplacedPod({ uid, namespace, name }: PendingPod, reasons: readonly Reason[]): UnplacedPod {
  return { uid, namespace, name, reasons }
}

function plannedNodeClaims({ drafts, assignment }: Packing): readonly PlannedNodeClaim[] {
  return drafts.map((draft, index) => ({
    nodePool: draft.template.name,
    nodeClass: draft.template.nodeClass,
    host: hostOf(assignment, index) ?? '',
    pods: draft.demands.map(({ pod }) => pod.uid),
    body: nodeClaimBody(draft),
  }))
}
