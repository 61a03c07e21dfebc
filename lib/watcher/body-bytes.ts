import { gzipSync } from 'node:zlib'
import type { ClusterObserved } from '../messages/cluster-observed.ts'

/** At this length JSON fits however badly it compresses; measuring more exactly would cost more than it tells. */
const surelyFits = 500_000

/** Size of the body that a message becomes: gzip, then base64. An upper estimate for small ones. */
export function bodyBytes(message: ClusterObserved): number {
  const json = JSON.stringify(message)
  if (json.length < surelyFits) return json.length
  return Math.ceil(gzipSync(json, { level: 4 }).length / 3) * 4
}
