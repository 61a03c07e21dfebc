// The state of packing, and how a draft finds its place in it.
import { assign, attainable, hostOf, type Assignment } from './assignment.ts'
import type { Demand } from './demand.ts'
import { withOffers, type Draft } from './draft.ts'
import type { Existing } from './existing.ts'
import type { Room } from './limits.ts'
import type { Offer } from './offer.ts'
import type { Template } from './template.ts'
import type { Reason } from './unplaced.ts'

export interface PackingWorld {
  /** The first that works is taken. */
  readonly templates: readonly Template[]
  readonly offersOf: (template: Template) => readonly Offer[]
  readonly roomOf: (template: Template, drafts: readonly Draft[]) => Room
  /** Texts of all free hosts. */
  readonly hosts: readonly string[]
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
  /** Hosts that one more NodeClaim might still get; undefined as long as nobody was turned away. */
  readonly attainable: ReadonlySet<string> | undefined
  readonly unplaced: readonly { readonly demand: Demand; readonly reasons: readonly Reason[] }[]
}

export function emptyPacking(existing: readonly Existing[]): Packing {
  return {
    existing,
    nominations: [],
    drafts: [],
    assignment: new Map(),
    attainable: undefined,
    unplaced: [],
  }
}

/** Puts a draft in its place if every draft can still have a host of its own. */
export function settle(packing: Packing, index: number, draft: Draft): Packing | undefined {
  const drafts = packing.drafts.toSpliced(index, 1, draft)
  const current = hostOf(packing.assignment, index)
  const isKept = current !== undefined && draft.offers.some(({ host }) => host.text === current)
  const assignment = isKept ? packing.assignment : assign(packing.assignment, index, choicesOf(drafts))
  return assignment && { ...packing, drafts, assignment }
}

/** A draft that could not move up forgets the hosts that are out of its reach, so that no other pod tries them again. */
export function narrowed(packing: Packing, index: number, world: PackingWorld): Packing {
  const draft = packing.drafts[index]
  if (draft === undefined) return packing
  const kept = withOffers(draft, attainableIn(packing, world, index))
  return { ...packing, drafts: packing.drafts.with(index, kept) }
}

/** Hosts that one more NodeClaim could have, or `leaving` in place of its own. */
export function attainableIn(
  packing: Packing,
  { hosts }: PackingWorld,
  leaving?: number,
): ReadonlySet<string> {
  const choices = choicesOf(packing.drafts)
  return attainable(packing.assignment, { hosts, choices, ...(leaving === undefined ? {} : { leaving }) })
}

function choicesOf(drafts: readonly Draft[]): (number: number) => readonly string[] {
  return (number) => (drafts[number]?.offers ?? []).map(({ host }) => host.text)
}
