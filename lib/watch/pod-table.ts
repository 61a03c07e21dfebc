// The watcher's copy of all pods, small enough for tens of thousands: labels are one shared text each, everything else
// that pods of one workload have in common is one shared object.
import type { Pod, PodNeeds } from '../api/pod.ts'
import type { PendingPod, PodShape } from '../messages/cluster-observed.ts'
import { labelsOfInterest } from './interest.ts'
import type { ObjectTable } from './object-table.ts'
import { podFactOf, type PodFact, type PodTemplate } from './pod-fact.ts'
import { makePool, type Shared } from './shared-pool.ts'

type Traits = Omit<PodTemplate, 'labels'>
type PendingFact = Omit<PendingPod, 'labels' | 'needs'>

interface Entry {
  /** The labels as text; read when somebody asks. */
  readonly labels: Shared<undefined>
  readonly traits: Shared<Traits>
  /** Absent while pending. */
  readonly node: Shared<undefined> | undefined
  readonly pending: PendingFact | undefined
}

export interface PodTable extends Omit<ObjectTable<Pod>, 'values'> {
  needs(): Iterable<PodNeeds>
  /** Sorted, so that the same pods always give the same text. */
  shapes(interest: ReadonlySet<string>): readonly PodShape[]
  /** Oldest first. */
  pending(interest: ReadonlySet<string>): readonly PendingPod[]
}

export function makePodTable(): PodTable {
  const entries = new Map<string, Entry>()
  const pools = { labels: makePool<undefined>(), traits: makePool<Traits>(), nodes: makePool<undefined>() }

  function remove(uid: string): boolean {
    const entry = entries.get(uid)
    if (entry === undefined) return false
    entries.delete(uid)
    letGo(pools, entry)
    return true
  }

  return {
    put(uid, pod) {
      const fact = podFactOf(pod)
      if (fact === undefined) return remove(uid)
      const after = entryOf(pools, fact)
      const before = entries.get(uid)
      entries.set(uid, after)
      if (before !== undefined) letGo(pools, before)
      return before === undefined || !isSame(before, after)
    },
    remove,
    retain(uids) {
      let changed = false
      for (const uid of entries.keys()) if (!uids.has(uid)) changed = remove(uid) || changed
      return changed
    },
    get size() {
      return entries.size
    },
    *needs() {
      for (const { value } of pools.traits.values()) yield value.needs
    },
    shapes: (interest) => shapesOf(entries.values(), interest),
    pending: (interest) => pendingOf(entries.values(), interest),
  }
}

interface Pools {
  readonly labels: ReturnType<typeof makePool<undefined>>
  readonly traits: ReturnType<typeof makePool<Traits>>
  readonly nodes: ReturnType<typeof makePool<undefined>>
}

function entryOf(pools: Pools, fact: PodFact): Entry {
  const { labels, ...traits } = fact.template
  return {
    labels: pools.labels.take(labelsText(labels), nothing),
    traits: pools.traits.take(JSON.stringify(traits), () => traits),
    node: fact.kind === 'bound' ? pools.nodes.take(fact.nodeName, nothing) : undefined,
    pending: fact.kind === 'pending' ? fact.pod : undefined,
  }
}

function nothing(): undefined {
  return undefined
}

function letGo(pools: Pools, entry: Entry): void {
  pools.labels.letGo(entry.labels)
  pools.traits.letGo(entry.traits)
  if (entry.node !== undefined) pools.nodes.letGo(entry.node)
}

function isSame(a: Entry, b: Entry): boolean {
  if (a.labels !== b.labels || a.traits !== b.traits || a.node !== b.node) return false
  return a.pending?.unschedulableSinceMs === b.pending?.unschedulableSinceMs
}

interface Group {
  readonly traits: Traits
  readonly labels: Readonly<Record<string, string>>
  readonly counts: Map<string, number>
}

function shapesOf(entries: Iterable<Entry>, interest: ReadonlySet<string>): readonly PodShape[] {
  const labelsOf = makeLabelReader(interest)
  const groups = new Map<string, Group>()
  for (const { labels, traits, node } of entries) {
    if (node === undefined) continue
    const kept = labelsOf(labels)
    const key = `${traits.key}\n${kept.text}`
    const group = groups.get(key) ?? {
      traits: traits.value,
      labels: kept.labels,
      counts: new Map<string, number>(),
    }
    groups.set(key, group)
    group.counts.set(node.key, (group.counts.get(node.key) ?? 0) + 1)
  }
  return [...groups].sort(byKey).map(([, { traits, labels, counts }]) => ({
    ...traits,
    labels,
    nodes: Object.fromEntries([...counts].sort(byKey)),
  }))
}

function pendingOf(entries: Iterable<Entry>, interest: ReadonlySet<string>): readonly PendingPod[] {
  const labelsOf = makeLabelReader(interest)
  const pending: PendingPod[] = []
  for (const { labels, traits, pending: fact } of entries) {
    if (fact !== undefined)
      pending.push({ ...fact, labels: labelsOf(labels).labels, needs: traits.value.needs })
  }
  return pending.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.uid < b.uid ? -1 : 1))
}

const separator = '\0'

function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).sort(byKey).flat().join(separator)
}

function labelsFromText(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {}
  const parts = text === '' ? [] : text.split(separator)
  for (let index = 0; index < parts.length; index += 2) labels[parts[index] ?? ''] = parts[index + 1] ?? ''
  return labels
}

interface KeptLabels {
  readonly labels: Readonly<Record<string, string>>
  readonly text: string
}

/** Reads each distinct set of labels once per snapshot. */
function makeLabelReader(interest: ReadonlySet<string>): (shared: Shared<undefined>) => KeptLabels {
  const read = new Map<Shared<undefined>, KeptLabels>()
  return (shared) => {
    const known = read.get(shared)
    if (known !== undefined) return known
    const labels = labelsOfInterest(labelsFromText(shared.key), interest)
    const kept = { labels, text: JSON.stringify(labels) }
    read.set(shared, kept)
    return kept
  }
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1
}
