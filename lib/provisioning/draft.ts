// A NodeClaim in the making: pods are added while some host still fits them all.
import { addAmounts, covers, largerAmounts, noAmounts, smallerAmounts, type Amounts } from '../api/amounts.ts'
import type { HostPort } from '../api/pod.ts'
import { toleratesTaint } from '../api/toleration.ts'
import type { Demand } from './demand.ts'
import { hasClash } from './host-ports.ts'
import { oncePerShape } from './host-shape.ts'
import { shapesAmong, type Offer, type OfferShape } from './offer.ts'
import { combine, conflictingKey, disjointKey, wellKnownLabels, type Requirements } from './requirements.ts'
import type { Template } from './template.ts'
import type { Reason } from './unplaced.ts'
import type { Way } from './ways.ts'

export interface Draft {
  readonly template: Template
  readonly requirements: Requirements
  readonly requests: Amounts
  readonly hostPorts: readonly HostPort[]
  readonly demands: readonly Demand[]
  /** Hosts that fit, best first. */
  readonly offers: readonly Offer[]
  /** Of these hosts, each once. */
  readonly shapes: readonly OfferShape[]
  /** The most that any of them has left, resource by resource: what exceeds this fits none. */
  readonly roof: Amounts
}

export type Fit =
  { readonly kind: 'fits'; readonly draft: Draft } | { readonly kind: 'does-not'; readonly reason: Reason }

export function emptyDraft(template: Template, offers: readonly Offer[]): Draft {
  const { requirements } = template
  return {
    template,
    requirements,
    requests: noAmounts,
    hostPorts: [],
    demands: [],
    ...fromOffers(offers),
  }
}

export function withDemand(draft: Draft, demand: Demand, way: Way): Fit {
  const refuse = (code: Reason['code'], message: string): Fit => ({
    kind: 'does-not',
    reason: { code, message, nodePool: draft.template.name },
  })
  const taint = draft.template.taints.find((each) => !toleratesTaint(way.tolerations, each))
  if (taint !== undefined)
    return refuse('TaintNotTolerated', `taint ${taint.key}:${taint.effect} is not tolerated`)
  if (hasClash(draft.hostPorts, demand.hostPorts)) return refuse('HostPortTaken', 'a host port is taken')
  const key = conflictingKey(draft.requirements, way.requirements, wellKnownLabels)
  if (key !== undefined) return refuse('RequirementsConflict', `label ${key} cannot have the wanted value`)

  const requests = addAmounts(draft.requests, demand.requests)
  const requirements = combine(draft.requirements, way.requirements)
  const next = { ...draft, requests, requirements }
  const offers = covers(draft.roof, requests) ? fittingOffers(next, demand) : []
  if (draft.offers.length === 0) return refuse('NoFreeHost', 'no host is free')
  if (offers.length === 0) return refuse('NoHostFits', misfitMessage(draft, demand))
  const left = offers === draft.offers ? next : { ...next, ...fromOffers(offers) }
  const scarce = keyWithTooFewValues(requirements, left.shapes)
  if (scarce !== undefined)
    return refuse('TooFewValues', `label ${scarce} has fewer values left than minValues`)
  const hostPorts = [...draft.hostPorts, ...demand.hostPorts]
  return { kind: 'fits', draft: { ...left, hostPorts, demands: [...draft.demands, demand] } }
}

/** With those of its hosts alone that are among the given ones; all of them if none are given. */
export function withOffers(draft: Draft, hosts: ReadonlySet<string> | undefined): Draft {
  const offers = hosts === undefined ? draft.offers : draft.offers.filter(({ host }) => hosts.has(host.text))
  return offers.length === draft.offers.length ? draft : { ...draft, ...fromOffers(offers) }
}

function fittingOffers(draft: Draft, demand: Demand): readonly Offer[] {
  const isFitting = oncePerShape(
    ({ available, daemonPorts, requirements }: OfferShape) =>
      covers(available, draft.requests) &&
      !hasClash(daemonPorts, demand.hostPorts) &&
      disjointKey(draft.requirements, requirements) === undefined,
  )
  // Many drafts among thousands of equal hosts share one list.
  return draft.shapes.every(isFitting) ? draft.offers : draft.offers.filter(({ shape }) => isFitting(shape))
}

function fromOffers(offers: readonly Offer[]): Pick<Draft, 'offers' | 'shapes' | 'roof'> {
  const shapes = shapesAmong(offers)
  const roof = shapes.reduce((most, { available }) => largerAmounts(most, available), noAmounts)
  return { offers, shapes, roof }
}

function misfitMessage({ offers, shapes }: Draft, { requests }: Demand): string {
  const tooMuch = [...requests.keys()].filter((name) =>
    shapes.every(({ available }) => !covers(available, new Map([[name, requests.get(name) ?? 0n]]))),
  )
  const what = tooMuch.length > 0 ? `enough ${tooMuch.sort().join(', ')}` : 'what the pod asks for'
  return `none of ${offers.length} free hosts has ${what}`
}

/** A key whose minValues the requirements and the hosts that are left cannot honor any more. */
function keyWithTooFewValues(requirements: Requirements, shapes: readonly OfferShape[]): string | undefined {
  for (const [key, set] of requirements) {
    if (set.minValues === undefined) continue
    const ofHosts = new Set(shapes.flatMap(({ requirements: host }) => [...(host.get(key)?.values ?? [])]))
    const count = ofHosts.size > 0 ? ofHosts.size : set.isComplement ? Infinity : set.values.size
    if (count < set.minValues) return key
  }
  return undefined
}

/** What daemons need at least, whichever host it will be. */
export function leastOverhead({ shapes }: Draft): Amounts {
  const [first, ...rest] = shapes.map(({ overhead }) => overhead)
  return rest.reduce((least, overhead) => leastOf(least, overhead), first ?? noAmounts)
}

function leastOf(a: Amounts, b: Amounts): Amounts {
  const names = [...a.keys()].filter((name) => b.has(name))
  const least = smallerAmounts(a, b)
  return new Map(names.map((name) => [name, least.get(name) ?? 0n]))
}
