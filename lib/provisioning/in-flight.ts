// NodeClaims that have no host yet will each take one: which, so that nothing else counts on it.
import type { NodeClaim } from '../api/node-claim.ts'
import { isOurNodeClassRef } from '../api/node-class-ref.ts'
import { SpecError } from '../errors/spec-error.ts'
import { assign, type Assignment } from './assignment.ts'
import type { FreeHost } from './free-host.ts'
import { makeRanking, type Ranking } from './rank-hosts.ts'
import type { ProvisioningSnapshot } from './snapshot.ts'

interface Waiting extends Pick<ProvisioningSnapshot, 'freeHosts' | 'claimedHosts'> {
  readonly nodeClaims: readonly NodeClaim[]
}

export interface Reservations {
  /** By uid of the NodeClaim. */
  readonly hosts: ReadonlyMap<string, FreeHost>
  /** Hosts that it could have, its own first, then best first: some more than it will try. By uid of the NodeClaim. */
  readonly choices: ReadonlyMap<string, readonly FreeHost[]>
  /** Free hosts that are left, by name of the node class. */
  readonly freeHosts: ReadonlyMap<string, readonly FreeHost[]>
}

/**
 * As many as possible get one each: the best that fits, in the order in which they were made, but moved to another of their
 * choice where somebody else could not be served otherwise.
 */
export function reserveHosts(snapshot: Waiting): Reservations {
  const waiting = snapshot.nodeClaims.filter((each) => isWaiting(each, snapshot)).sort(byAge)
  const rankings = new Map([...snapshot.freeHosts].map(([name, hosts]) => [name, makeRanking(hosts)]))
  const ranked = waiting.map((nodeClaim) =>
    rankReadable(nodeClaim, rankings.get(nodeClaim.spec.nodeClassRef.name)),
  )
  const textsOf = (number: number) => (ranked[number] ?? []).map(({ text }) => text)
  const assignment = waiting.reduce<Assignment>(
    (before, _, number) => assign(before, number, textsOf) ?? before,
    new Map(),
  )
  const hosts = new Map(
    [...assignment].flatMap(([text, number]) => {
      const host = ranked[number]?.find((each) => each.text === text)
      const uid = waiting[number]?.metadata.uid
      return host === undefined || uid === undefined ? [] : [[uid, host]]
    }),
  )
  const rest = [...snapshot.freeHosts].map(
    ([name, free]) => [name, free.filter(({ text }) => !assignment.has(text))] as const,
  )
  const choices = waiting.map(
    ({ metadata: { uid } }, number) => [uid, ownFirst(hosts.get(uid), ranked[number] ?? [])] as const,
  )
  return { hosts, choices: new Map(choices), freeHosts: new Map(rest) }
}

/** A NodeClaim whose requirements nobody can read gets no host, and keeps nobody else from one. */
function rankReadable(nodeClaim: NodeClaim, ranking: Ranking | undefined): readonly FreeHost[] {
  try {
    return ranking?.(nodeClaim) ?? []
  } catch (error) {
    if (error instanceof SpecError) return []
    throw error
  }
}

/** What it may lose to rivals before it waits for the next activation. */
const mostChoices = 32

function ownFirst(own: FreeHost | undefined, ranked: readonly FreeHost[]): readonly FreeHost[] {
  const best = ranked.slice(0, mostChoices)
  return own === undefined ? best : [own, ...best.filter(({ text }) => text !== own.text)]
}

/** Ours, staying, and without a host. */
function isWaiting({ metadata, spec, status }: NodeClaim, { claimedHosts }: Waiting): boolean {
  return (
    isOurNodeClassRef(spec.nodeClassRef) &&
    metadata.deletionTimestamp === undefined &&
    status?.allocatable === undefined &&
    !claimedHosts.has(metadata.uid)
  )
}

function byAge(a: NodeClaim, b: NodeClaim): number {
  const [one, other] = [a.metadata, b.metadata].map(
    ({ creationTimestamp, name }) => `${creationTimestamp} ${name}`,
  )
  return (one ?? '') < (other ?? '') ? -1 : 1
}
