import type { HostRecord } from './host-record.ts'

/** The cluster that has to be asked about a host: its holder's, else the one whose inventory names it. */
export function clusterOf(record: HostRecord): string {
  return record.claim?.cluster ?? record.cluster
}
