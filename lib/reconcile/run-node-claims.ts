import { mapBounded } from '../ambient/map-bounded.ts'
import type { NodeClaimView } from '../node-claim/node-claim-view.ts'
import { runNodeClaim } from '../node-claim/run-node-claim.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'

const parallelNodeClaims = 8

/** One NodeClaim's trouble is not another's: an error is logged and counted, and the rest go on. */
export async function runNodeClaims(
  scope: ClusterScope,
  views: readonly NodeClaimView[],
): Promise<ReconcileCounts> {
  const { deps, cluster, kubernetes, log } = scope
  const counts: Record<string, number> = {}
  const count = (kind: string) => (counts[kind] = (counts[kind] ?? 0) + 1)
  await mapBounded(views, parallelNodeClaims, async (view) => {
    const { name, uid } = view.nodeClaim.metadata
    try {
      const run = await runNodeClaim({ ...deps, cluster, kubernetes }, view)
      run.steps.forEach(count)
      if (run.steps.length > 0) {
        log.info('nodeclaim.advanced', {
          nodeClaim: name,
          uid,
          hostName: run.view.host?.key.name ?? '',
          steps: run.steps.join(' '),
          then: run.why,
        })
      }
    } catch (cause) {
      count('nodeClaimErrors')
      log.error('nodeclaim.failed', { nodeClaim: name, cause })
    }
  })
  return counts
}
