// Initialization: the Node is Ready, its startup and ephemeral taints are gone, and it offers what the NodeClaim asked for.
// Once True it does not go back.
import type { ConditionChange } from '../api/condition.ts'
import { isEphemeralTaint } from '../api/ephemeral-taint.ts'
import { labels } from '../api/names.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { Node } from '../api/node.ts'
import { compareQuantities } from '../api/quantity.ts'
import { isSameTaint } from '../api/taint.ts'
import { isTrue, nodeOf, type NodeClaimView } from './node-claim-view.ts'
import { once } from './plan-registration.ts'
import { wait, type Step } from './step.ts'

export function planInitialization(view: NodeClaimView): Step | undefined {
  if (isTrue(view.nodeClaim, 'Initialized')) return undefined
  if (!isTrue(view.nodeClaim, 'Registered')) return wait('not registered')
  const node = nodeOf(view)
  const obstacle = obstacleTo(view.nodeClaim, node)
  if (obstacle !== undefined) return once(view, obstacle)
  if (node !== undefined && node.metadata.labels?.[labels.initialized] !== 'true') {
    return { kind: 'initialize-node', nodeName: node.metadata.name }
  }
  return { kind: 'update', conditions: [{ type: 'Initialized', status: 'True' }] }
}

function obstacleTo(nodeClaim: NodeClaim, node: Node | undefined): ConditionChange | undefined {
  if (node === undefined) return unknown('NodeNotFound', 'the Node is not there')
  if (!isTrue(node, 'Ready')) return unknown('NodeNotReady', 'the Node is not Ready')
  const taints = node.spec?.taints ?? []
  const startup = taints.find((taint) =>
    (nodeClaim.spec.startupTaints ?? []).some((each) => isSameTaint(each, taint)),
  )
  if (startup !== undefined) return unknown('StartupTaintsExist', `taint ${startup.key} is still on the Node`)
  const ephemeral = taints.find(isEphemeralTaint)
  if (ephemeral !== undefined)
    return unknown('KnownEphemeralTaintsExist', `taint ${ephemeral.key} is still on the Node`)
  const missing = Object.entries(nodeClaim.spec.resources?.requests ?? {}).find(
    ([name, quantity]) => !isZero(quantity) && isZero(node.status?.allocatable?.[name] ?? '0'),
  )
  if (missing !== undefined)
    return unknown('ResourceNotRegistered', `the Node does not offer ${missing[0]} yet`)
  return undefined
}

function isZero(quantity: string): boolean {
  return compareQuantities(quantity, '0') === 0
}

function unknown(reason: string, message: string): ConditionChange {
  return { type: 'Initialized', status: 'Unknown', reason, message }
}
