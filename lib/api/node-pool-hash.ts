// Fingerprint of the part of a NodePool that is baked into its nodes: a difference is drift. Only this program compares
// these hashes (see nodePoolHashVersion), so their form is free.
import { createHash } from 'node:crypto'
import type { NodePool } from './node-pool.ts'
import { formatTaintsFlag, type Taint } from './taint.ts'

/** Requirements are left out: whether a node still meets them is looked at directly. So are disruption, limits and weight. */
export function nodePoolHash({ spec }: Pick<NodePool, 'spec'>): string {
  const { metadata = {}, spec: template } = spec.template
  const { group, kind, name } = template.nodeClassRef
  const baked = [
    sortedEntries(metadata.labels),
    sortedEntries(metadata.annotations),
    sortedTaints(template.taints),
    sortedTaints(template.startupTaints),
    [group, kind, name],
    template.expireAfter,
    template.terminationGracePeriod ?? '',
  ]
  return createHash('sha256').update(JSON.stringify(baked)).digest('hex').slice(0, 16)
}

function sortedEntries(record: Readonly<Record<string, string>> = {}): readonly string[][] {
  return Object.keys(record)
    .sort()
    .map((key) => [key, record[key] ?? ''])
}

function sortedTaints(taints: readonly Taint[] = []): readonly string[] {
  return taints.map((taint) => formatTaintsFlag([taint])).sort()
}
