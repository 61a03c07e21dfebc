// Packing: each pod in turn goes where it fits first. Existing nodes before new ones, and among new ones the emptiest, so
// that pods spread over what must be opened anyway.
import { covers, subtractAmounts } from '../api/amounts.ts'
import { toleratesTaint } from '../api/toleration.ts'
import type { Demand } from './demand.ts'
import { emptyDraft, withDemand, withOffers, type Draft, type Fit } from './draft.ts'
import type { Existing } from './existing.ts'
import { hasClash } from './host-ports.ts'
import { offersWithin } from './limits.ts'
import type { Offer } from './offer.ts'
import { attainableIn, emptyPacking, narrowed, settle, type Packing, type PackingWorld } from './packing.ts'
import { conflictingKey } from './requirements.ts'
import type { Template } from './template.ts'
import type { Reason } from './unplaced.ts'
import type { Way } from './ways.ts'

/** Pods that a NodeClaim was made for go there before all others: so that a plan carried out is not made again. */
export function pack(
  demands: readonly Demand[],
  existing: readonly Existing[],
  world: PackingWorld,
): Packing {
  const promised = new Set(existing.flatMap(({ promisedTo }) => [...promisedTo]))
  const isPromised = ({ pod }: Demand) => promised.has(pod.uid)
  const inOrder = [...demands.filter(isPromised), ...demands.filter((demand) => !isPromised(demand))]
  return inOrder.reduce((packing, demand) => place(packing, demand, world), emptyPacking(existing))
}

function place(packing: Packing, demand: Demand, world: PackingWorld): Packing {
  let [latest, reasons]: [Packing, readonly Reason[]] = [packing, []]
  for (const way of demand.ways) {
    const outcome = placeInWay(latest, demand, { way, world })
    if (outcome.kind === 'placed') return outcome.packing
    latest = outcome.packing
    reasons = outcome.reasons
  }
  return { ...latest, unplaced: [...latest.unplaced, { demand, reasons }] }
}

/** Also where a pod finds no place, something may have been learned about which hosts are out of reach. */
type Outcome =
  | { readonly kind: 'placed'; readonly packing: Packing }
  | { readonly kind: 'nowhere'; readonly packing: Packing; readonly reasons: readonly Reason[] }

interface Trial {
  readonly way: Way
  readonly world: PackingWorld
}

function placeInWay(packing: Packing, demand: Demand, trial: Trial): Outcome {
  const onExisting = placeOnExisting(packing, demand, trial.way)
  if (onExisting !== undefined) return { kind: 'placed', packing: onExisting }
  const onDraft = placeOnDraft(packing, demand, trial)
  if (onDraft.kind === 'placed') return onDraft
  let latest = onDraft.packing
  const reasons: Reason[] = []
  for (const template of trial.world.templates) {
    const outcome = openDraft(latest, demand, { ...trial, template })
    if (outcome.kind === 'placed') return outcome
    latest = outcome.packing
    reasons.push(...outcome.reasons)
  }
  return { kind: 'nowhere', packing: latest, reasons }
}

function placeOnExisting(packing: Packing, demand: Demand, way: Way): Packing | undefined {
  const { existing } = packing
  const fitting = (node: Existing) => hasPlace(node, demand, way)
  const promised = existing.findIndex((node) => node.promisedTo.has(demand.pod.uid) && fitting(node))
  const index = promised >= 0 ? promised : existing.findIndex(fitting)
  const node = existing[index]
  if (node === undefined) return undefined
  const loaded: Existing = {
    ...node,
    available: subtractAmounts(node.available, demand.requests),
    hostPorts: [...node.hostPorts, ...demand.hostPorts],
  }
  return {
    ...packing,
    existing: existing.with(index, loaded),
    nominations: [...packing.nominations, { podUid: demand.pod.uid, target: node.name }],
  }
}

/** Labels are strict here: what a node that is there does not have, it will not get. */
function hasPlace(node: Existing, demand: Demand, way: Way): boolean {
  return (
    covers(node.available, demand.requests) &&
    node.taints.every((taint) => toleratesTaint(way.tolerations, taint)) &&
    !hasClash(node.hostPorts, demand.hostPorts) &&
    conflictingKey(node.requirements, way.requirements) === undefined
  )
}

function placeOnDraft(packing: Packing, demand: Demand, { way, world }: Trial): Outcome {
  const emptiestFirst = [...packing.drafts.keys()].sort(
    (a, b) => size(packing, a) - size(packing, b) || a - b,
  )
  let latest = packing
  for (const index of emptiestFirst) {
    const draft = latest.drafts[index]
    const fit = draft && withDemand(draft, demand, way)
    if (fit?.kind !== 'fits') continue
    const placed = settle(latest, index, fit.draft)
    if (placed !== undefined) return { kind: 'placed', packing: placed }
    latest = narrowed(latest, index, world)
  }
  return { kind: 'nowhere', packing: latest, reasons: [] }
}

function size({ drafts }: Packing, index: number): number {
  return drafts[index]?.demands.length ?? 0
}

function openDraft(
  packing: Packing,
  demand: Demand,
  { way, world, template }: Trial & { readonly template: Template },
): Outcome {
  const offers = world.offersOf(template)
  const within = offersWithin(offers, world.roomOf(template, packing.drafts))
  const fit = withDemand(emptyDraft(template, within), demand, way)
  if (fit.kind === 'does-not') {
    return { kind: 'nowhere', packing, reasons: [reasonOf(fit, { template, offers, demand, way })] }
  }
  const draft = withOffers(fit.draft, packing.attainable)
  const placed = draft.offers.length > 0 ? settle(packing, packing.drafts.length, draft) : undefined
  if (placed !== undefined) return { kind: 'placed', packing: placed }
  const next = draft.offers.length > 0 ? { ...packing, attainable: attainableIn(packing, world) } : packing
  return { kind: 'nowhere', packing: next, reasons: [allTaken(fit.draft)] }
}

/** Says so if it is the limits alone that are in the way. */
function reasonOf(
  fit: Extract<Fit, { kind: 'does-not' }>,
  trial: {
    readonly template: Template
    readonly offers: readonly Offer[]
    readonly demand: Demand
    readonly way: Way
  },
): Reason {
  const { template, offers, demand, way } = trial
  if (withDemand(emptyDraft(template, offers), demand, way).kind === 'does-not') return fit.reason
  return {
    code: 'LimitReached',
    nodePool: template.name,
    message: 'spec.limits leave no room for a host that fits',
  }
}

function allTaken({ template, offers }: Draft): Reason {
  const classes = [...new Set(offers.map(({ host }) => host.hostClass))].sort().join(', ')
  const message = `every free host of class ${classes} that fits is taken by another NodeClaim`
  return { code: 'NoFreeHost', nodePool: template.name, message }
}
