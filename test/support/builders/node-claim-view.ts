// What a NodeClaim's lifecycle decides from, as tests need it: nothing claimed yet, the class Ready.
import type { NodeClaimView } from '../../../lib/node-claim/node-claim-view.ts'
import { aClaimedHost } from './hosts.ts'
import { aNodeClaim, aNodeClass, anSSHHost, isTrueNow } from './kubernetes.ts'

export const launched = [isTrueNow('Launched')]
export const registered = [...launched, isTrueNow('Registered')]
export const initialized = [...registered, isTrueNow('Initialized')]
export const providerID = 'kpssh://kpssh-system/h1'

export function aView(overrides: Partial<NodeClaimView> = {}): NodeClaimView {
  return {
    nodeClaim: aNodeClaim(),
    host: undefined,
    boundTo: undefined,
    isBound: false,
    sshHosts: new Map(),
    nodeClass: aNodeClass(),
    classReady: { status: 'True', reason: 'Ready', message: '' },
    wanted: { marker: 'demo@1', vars: 'vars-1' },
    nodes: [],
    candidates: [],
    registrationTimeoutMs: 900_000,
    isHeartbeat: true,
    ...overrides,
  }
}

/** A NodeClaim whose host `h1` it holds, with these conditions. */
export function aHeldView(
  conditions: readonly ReturnType<typeof isTrueNow>[],
  overrides: Partial<NodeClaimView> = {},
) {
  const host = overrides.host ?? aClaimedHost()
  return aView({
    nodeClaim: aNodeClaim({ status: { providerID, conditions: [...conditions] } }),
    host,
    boundTo: host,
    isBound: true,
    sshHosts: new Map([['lab/kpssh-system/h1', anSSHHost()]]),
    ...overrides,
  })
}
