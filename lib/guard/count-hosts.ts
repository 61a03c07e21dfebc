import type { HostRecord, HostState } from '../hosts/host-record.ts'

export interface HostCount {
  readonly pool: string
  readonly state: HostState
  readonly hostClass: string
  readonly hosts: number
}

/** How many hosts there are of each kind that there is, sorted. */
export function countHosts(records: readonly HostRecord[]): readonly HostCount[] {
  const kindOf = ({ key, state, hostClass }: HostRecord) => JSON.stringify([key.pool, hostClass, state])
  return [...Map.groupBy(records, kindOf)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) =>
      first === undefined
        ? []
        : [
            {
              pool: first.key.pool,
              state: first.state,
              hostClass: first.hostClass,
              hosts: 1 + others.length,
            },
          ],
    )
}
