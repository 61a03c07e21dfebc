// Registration: the Node that carries the providerID gets what the NodeClaim says, loses the unregistered taint, and is
// the NodeClaim's from then on. Happens once: a startup taint that somebody removed later is not put back.
import { conditionOf, isTrue, nodeOf, type NodeClaimView } from './node-claim-view.ts'
import type { ConditionChange } from '../api/condition.ts'
import { labels } from '../api/names.ts'
import { wait, type Step } from './step.ts'

export function planRegistration(view: NodeClaimView): Step | undefined {
  if (isTrue(view.nodeClaim, 'Registered')) return undefined
  if (!isTrue(view.nodeClaim, 'Launched')) return wait('not launched')
  if (view.nodes.length > 1) {
    const names = view.nodes.map((node) => node.metadata.name).join(', ')
    const message = `several Nodes have the providerID of this NodeClaim: ${names}`
    return once(view, { type: 'Registered', status: 'False', reason: 'MultipleNodesFound', message })
  }
  const node = nodeOf(view)
  if (node === undefined) {
    const message = 'the Node has not appeared yet'
    return once(view, { type: 'Registered', status: 'Unknown', reason: 'NodeNotFound', message })
  }
  if (view.host !== undefined && view.host.nodeName !== node.metadata.name) {
    const providerID = node.spec?.providerID ?? ''
    return { kind: 'match-node', host: view.host.key, providerID, nodeName: node.metadata.name }
  }
  if (node.metadata.labels?.[labels.registered] !== 'true') {
    return { kind: 'register-node', nodeName: node.metadata.name }
  }
  return {
    kind: 'update',
    status: { nodeName: node.metadata.name },
    conditions: [{ type: 'Registered', status: 'True' }],
  }
}

/** Writes a condition unless it says the same already. */
export function once(view: NodeClaimView, change: ConditionChange): Step {
  const current = conditionOf(view.nodeClaim, change.type)
  const isSaid = current?.status === change.status && current.reason === change.reason
  return isSaid ? wait(change.reason ?? change.type) : { kind: 'update', conditions: [change] }
}
