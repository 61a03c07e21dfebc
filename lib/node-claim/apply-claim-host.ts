// Claims a host for a NodeClaim: first the binding (a NodeClaim names one host ever), then the claim on the host, then the
// request for its first phase. A crash between any two of them is picked up by the next activation from the binding.
import type { HostKey, HostRecord } from '../hosts/host-record.ts'
import { staticProviderID } from '../hosts/provider-id.ts'
import { advanced, stopped, type ApplyDeps, type StepOutcome } from './step-outcome.ts'
import { isAdopted, type NodeClaimView } from './node-claim-view.ts'
import { firstPhase } from './plan-launch.ts'
import { sendRunPhase } from './request-phase.ts'

/** Candidates tried in one activation: rivals may have taken some, not all. */
const maxCandidates = 8

export async function applyClaimHost(
  deps: ApplyDeps,
  view: NodeClaimView,
  candidates: readonly HostKey[],
): Promise<StepOutcome> {
  for (const candidate of candidates.slice(0, maxCandidates)) {
    const uid = view.nodeClaim.metadata.uid
    const binding = await deps.bindings.bind(uid, candidate)
    const key = binding.kind === 'bound' ? candidate : binding.host
    const record = await claim(deps, view, key)
    if (record !== undefined) {
      const claimed = { ...view, host: record, boundTo: record, isBound: true }
      await sendRunPhase(deps, claimed, { phase: firstPhase(claimed, record), host: key, reason: 'Launch' })
      return advanced(claimed)
    }
    await deps.bindings.unbind(uid, key)
  }
  return stopped('lost every candidate')
}

async function claim(deps: ApplyDeps, view: NodeClaimView, key: HostKey): Promise<HostRecord | undefined> {
  const nowMs = deps.clock.nowMs()
  const { name, uid } = view.nodeClaim.metadata
  const outcome = await deps.changeHost(
    key,
    {
      kind: 'claimed',
      claim: { cluster: deps.cluster, nodeClaim: name, uid, sinceMs: nowMs },
      ...(isAdopted(view) ? {} : { providerID: staticProviderID(key) }),
    },
    nowMs,
  )
  return outcome.kind === 'refused' ? undefined : outcome.record
}
