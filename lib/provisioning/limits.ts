import { addAmounts, amountsOf, subtractAmounts, type Amounts } from '../api/amounts.ts'
import { labels } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { ResourceList } from '../api/resource-list.ts'
import type { Draft } from './draft.ts'
import { oncePerShape } from './host-shape.ts'
import { largestCapacity, type Offer, type OfferShape } from './offer.ts'
import type { Template } from './template.ts'

/** What a pool may still grow by, for limited resources alone; undefined without limits. */
export type Room = Amounts | undefined

const oneNode: Amounts = amountsOf({ nodes: '1' })

/** Capacity of each NodePool's NodeClaims, `nodes` counting them. Those that are being deleted do not count. */
export function usageOf(
  nodeClaims: readonly NodeClaim[],
  capacityOf: (nodeClaim: NodeClaim) => ResourceList | undefined,
): ReadonlyMap<string, Amounts> {
  const usage = new Map<string, Amounts>()
  for (const nodeClaim of nodeClaims) {
    const pool = nodeClaim.metadata.labels?.[labels.nodePool]
    if (pool === undefined || nodeClaim.metadata.deletionTimestamp !== undefined) continue
    const terms = [amountsOf(capacityOf(nodeClaim)), oneNode]
    usage.set(pool, addAmounts(usage.get(pool) ?? new Map(), ...terms))
  }
  return usage
}

/** A draft counts as the largest host it may get: which one it will be is decided later. */
export function roomOf(
  { name, pool }: Template,
  usage: ReadonlyMap<string, Amounts>,
  drafts: readonly Draft[],
): Room {
  if (pool.spec.limits === undefined) return undefined
  const limits = amountsOf(pool.spec.limits)
  const ofDrafts = drafts
    .filter(({ template }) => template.name === name)
    .flatMap(({ offers }) => [largestCapacity(offers), oneNode])
  const used = addAmounts(usage.get(name) ?? new Map(), ...ofDrafts)
  const room = subtractAmounts(limits, used)
  return new Map([...limits.keys()].map((resource) => [resource, room.get(resource) ?? 0n]))
}

/** The hosts that stay within it. Only limited resources count. */
export function offersWithin(offers: readonly Offer[], room: Room): readonly Offer[] {
  if (room === undefined) return offers
  const isWithin = oncePerShape(({ capacity }: OfferShape) =>
    [...room].every(([name, rest]) => ((name === 'nodes' ? oneNode : capacity).get(name) ?? 0n) <= rest),
  )
  return offers.filter(({ shape }) => isWithin(shape))
}
