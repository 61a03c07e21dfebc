// A NodeClaim in the making: pods are added while some host still fits them all.
import { addAmounts, covers, largerAmounts, noAmounts, smallerAmounts, type Amounts } from '../api/amounts.ts'
import type { HostPort } from '../api/pod.ts'
import { toleratesTaint } from '../api/toleration.ts'
import type { Demand } from './demand.ts'
import { hasClash } from './host-ports.ts'
import type { Offer } from './offer.ts'
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
    offers,
    roof: roofOf(offers),
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
  const offers = covers(draft.roof, requests)
    ? draft.offers.filter((offer) => isFitting(offer, next, demand))
    : []
  if (draft.offers.length === 0) return refuse('NoFreeHost', 'no host is free')
  if (offers.length === 0) return refuse('NoHostFits', misfitMessage(draft, demand))
  const scarce = keyWithTooFewValues(requirements, offers)
  if (scarce !== undefined)
    return refuse('TooFewValues', `label ${scarce} has fewer values left than minValues`)
  return {
    kind: 'fits',
    draft: {
      ...next,
      hostPorts: [...draft.hostPorts, ...demand.hostPorts],
      demands: [...draft.demands, demand],
      offers,
      roof: roofOf(offers),
    },
  }
}

/** With those of its hosts alone that are among the given ones; all of them if none are given. */
export function withOffers(draft: Draft, hosts: ReadonlySet<string> | undefined): Draft {
  const offers = hosts === undefined ? draft.offers : draft.offers.filter(({ host }) => hosts.has(host.text))
  return offers.length === draft.offers.length ? draft : { ...draft, offers, roof: roofOf(offers) }
}

function isFitting(offer: Offer, draft: Pick<Draft, 'requirements' | 'requests'>, demand: Demand): boolean {
  return (
    covers(offer.available, draft.requests) &&
    !hasClash(offer.daemonPorts, demand.hostPorts) &&
    disjointKey(draft.requirements, offer.requirements) === undefined
  )
}

function roofOf(offers: readonly Offer[]): Amounts {
  return offers.reduce((roof, { available }) => largerAmounts(roof, available), noAmounts)
}

function misfitMessage({ offers }: Draft, { requests }: Demand): string {
  const tooMuch = [...requests.keys()].filter((name) =>
    offers.every(({ available }) => !covers(available, new Map([[name, requests.get(name) ?? 0n]]))),
  )
  const what = tooMuch.length > 0 ? `enough ${tooMuch.sort().join(', ')}` : 'what the pod asks for'
  return `none of ${offers.length} free hosts has ${what}`
}

/** A key whose minValues the requirements and the hosts that are left cannot honor any more. */
function keyWithTooFewValues(requirements: Requirements, offers: readonly Offer[]): string | undefined {
  for (const [key, set] of requirements) {
    if (set.minValues === undefined) continue
    const ofHosts = new Set(offers.flatMap(({ requirements: host }) => [...(host.get(key)?.values ?? [])]))
    const count = ofHosts.size > 0 ? ofHosts.size : set.isComplement ? Infinity : set.values.size
    if (count < set.minValues) return key
  }
  return undefined
}

/** What daemons need at least, whichever host it will be. */
export function leastOverhead({ offers }: Draft): Amounts {
  const [first, ...rest] = offers.map(({ overhead }) => overhead)
  return rest.reduce((least, overhead) => leastOf(least, overhead), first ?? noAmounts)
}

function leastOf(a: Amounts, b: Amounts): Amounts {
  const names = [...a.keys()].filter((name) => b.has(name))
  const least = smallerAmounts(a, b)
  return new Map(names.map((name) => [name, least.get(name) ?? 0n]))
}
