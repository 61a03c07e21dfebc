// Packing: each pod in turn goes where it fits first. Existing nodes before new ones, and among new ones the emptiest, so
// that pods spread over what must be opened anyway.
import { covers, subtractAmounts } from '../api/amounts.ts'
import { toleratesTaint } from '../api/toleration.ts'
import { assign, hostOf, type Assignment } from './assignment.ts'
import type { Demand } from './demand.ts'
import { emptyDraft, withDemand, type Draft, type Fit } from './draft.ts'
import type { Existing } from './existing.ts'
import { hasClash } from './host-ports.ts'
import { offersWithin, type Room } from './limits.ts'
import type { Offer } from './offer.ts'
import { conflictingKey } from './requirements.ts'
import type { Template } from './template.ts'
import type { Reason } from './unplaced.ts'
import type { Way } from './ways.ts'

export interface PackingWorld {
  /** The first that works is taken. */
  readonly templates: readonly Template[]
  readonly offersOf: (template: Template) => readonly Offer[]
  readonly roomOf: (template: Template, drafts: readonly Draft[]) => Room
}

export interface Nomination {
  readonly podUid: string
  /** Name of the Node, or of the NodeClaim that has none yet. */
  readonly target: string
}

export interface Packing {
  readonly existing: readonly Existing[]
  readonly nominations: readonly Nomination[]
  /** Their place in this list is their number in the assignment. */
  readonly drafts: readonly Draft[]
  readonly assignment: Assignment
  readonly unplaced: readonly { readonly demand: Demand; readonly reasons: readonly Reason[] }[]
}

/** Pods that a NodeClaim was made for go there before all others: so that a plan carried out is not made again. */
export function pack(
  demands: readonly Demand[],
  existing: readonly Existing[],
  world: PackingWorld,
): Packing {
  const start: Packing = { existing, nominations: [], drafts: [], assignment: new Map(), unplaced: [] }
  const promised = new Set(existing.flatMap(({ promisedTo }) => [...promisedTo]))
  const isPromised = ({ pod }: Demand) => promised.has(pod.uid)
  const inOrder = [...demands.filter(isPromised), ...demands.filter((demand) => !isPromised(demand))]
  return inOrder.reduce((packing, demand) => place(packing, demand, world), start)
}

function place(packing: Packing, demand: Demand, world: PackingWorld): Packing {
  let reasons: readonly Reason[] = []
  for (const way of demand.ways) {
    const outcome = placeInWay(packing, demand, { way, world })
    if (outcome.kind === 'placed') return outcome.packing
    reasons = outcome.reasons
  }
  return { ...packing, unplaced: [...packing.unplaced, { demand, reasons }] }
}

type Outcome =
  | { readonly kind: 'placed'; readonly packing: Packing }
  | { readonly kind: 'nowhere'; readonly reasons: readonly Reason[] }

interface Trial {
  readonly way: Way
  readonly world: PackingWorld
}

function placeInWay(packing: Packing, demand: Demand, { way, world }: Trial): Outcome {
  const onExisting = placeOnExisting(packing, demand, way) ?? placeOnDraft(packing, demand, way)
  if (onExisting !== undefined) return { kind: 'placed', packing: onExisting }
  const reasons: Reason[] = []
  for (const template of world.templates) {
    const outcome = openDraft(packing, demand, { way, world, template })
    if (outcome.kind === 'placed') return outcome
    reasons.push(...outcome.reasons)
  }
  return { kind: 'nowhere', reasons }
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

function placeOnDraft(packing: Packing, demand: Demand, way: Way): Packing | undefined {
  const emptiestFirst = [...packing.drafts.keys()].sort(
    (a, b) => size(packing, a) - size(packing, b) || a - b,
  )
  for (const index of emptiestFirst) {
    const draft = packing.drafts[index]
    const fit = draft && withDemand(draft, demand, way)
    const placed = fit?.kind === 'fits' ? settle(packing, index, fit.draft) : undefined
    if (placed !== undefined) return placed
  }
  return undefined
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
  if (fit.kind === 'does-not')
    return { kind: 'nowhere', reasons: [reasonOf(fit, { template, offers, demand, way })] }
  const placed = settle(packing, packing.drafts.length, fit.draft)
  return placed === undefined
    ? { kind: 'nowhere', reasons: [allTaken(fit.draft)] }
    : { kind: 'placed', packing: placed }
}

/** Puts a draft in its place if every draft can still have a host of its own. */
function settle(packing: Packing, index: number, draft: Draft): Packing | undefined {
  const drafts = packing.drafts.toSpliced(index, 1, draft)
  const choices = (number: number) => (drafts[number]?.offers ?? []).map(({ host }) => host.text)
  const current = hostOf(packing.assignment, index)
  const isKept = current !== undefined && draft.offers.some(({ host }) => host.text === current)
  const assignment = isKept ? packing.assignment : assign(packing.assignment, index, choices)
  return assignment && { ...packing, drafts, assignment }
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
