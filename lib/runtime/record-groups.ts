// The order within a batch: records of one group (a host, a cluster) one after the other as they came, groups beside each
// other. A later record may make an earlier one of its group pointless; that one is then acknowledged unhandled.

export interface Groups<R> {
  readonly groups: readonly (readonly R[])[]
  readonly superseded: readonly R[]
}

export function groupRecords<R>(
  records: readonly R[],
  groupOf: (record: R) => string,
  supersedes: (later: R, earlier: R) => boolean = () => false,
): Groups<R> {
  const byGroup = Map.groupBy(records, groupOf)
  const superseded = new Set<R>()
  for (const group of byGroup.values()) {
    group.forEach((earlier, index) => {
      if (group.slice(index + 1).some((later) => supersedes(later, earlier))) superseded.add(earlier)
    })
  }
  const groups = [...byGroup.values()].map((group) => group.filter((record) => !superseded.has(record)))
  return { groups: groups.filter((group) => group.length > 0), superseded: [...superseded] }
}
