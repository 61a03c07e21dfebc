// What a kubelet may do with its node's certificate: read what it needs, write its own Node, Lease and pods, and nothing in
// the name of another node. Labels it may set on itself are limited as the NodeRestriction admission limits them.
import type { Address, Verb } from './api-request.ts'
import { recordOf, textOf } from './json.ts'
import { forbidden, type StatusError } from './status-error.ts'
import type { UserInfo } from './user.ts'

const userPrefix = 'system:node:'
const reading: readonly Verb[] = ['get', 'list', 'watch']
const ownWrites: Readonly<Record<string, readonly Verb[]>> = {
  '/nodes': ['create', 'update', 'patch'],
  'coordination.k8s.io/leases': ['create', 'update', 'patch', 'delete'],
  '/pods': ['create', 'update', 'patch', 'delete'],
  '/events': ['create', 'update', 'patch'],
  'storage.k8s.io/csinodes': ['create', 'update', 'patch', 'delete'],
  'certificates.k8s.io/certificatesigningrequests': ['create'],
}
const allowedLabels = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
])
const allowedPrefixes = ['kubelet.kubernetes.io', 'node.kubernetes.io']

/** The node that a user is; undefined for everybody else. */
export function nodeNameOf(user: UserInfo): string | undefined {
  const isNode = user.groups.includes('system:nodes') && user.username.startsWith(userPrefix)
  return isNode ? user.username.slice(userPrefix.length) : undefined
}

export function mayNode(nodeName: string, verb: Verb, address: Address): boolean {
  const resource = `${address.group}/${address.plural}`
  if (reading.includes(verb)) return resource !== '/secrets' || address.name !== undefined
  if (ownWrites[resource]?.includes(verb) !== true) return false
  const isNamedForIt = ['/nodes', 'coordination.k8s.io/leases', 'storage.k8s.io/csinodes'].includes(resource)
  return !isNamedForIt || address.name === undefined || address.name === nodeName
}

/** Throws 403 for a Node or Lease that is another's, and for labels that a kubelet may not give itself. */
export function checkNodeWrite(
  user: UserInfo,
  plural: string,
  write: { readonly next: unknown; readonly current: unknown },
): void {
  const nodeName = nodeNameOf(user)
  if (nodeName === undefined) return
  const metadata = recordOf(recordOf(write.next)['metadata'])
  const name = textOf(metadata['name'])
  if (['nodes', 'leases'].includes(plural) && name !== '' && name !== nodeName) {
    throw notAllowed(
      `${plural} "${name}" is forbidden: node "${nodeName}" is not allowed to modify "${name}"`,
    )
  }
  if (plural !== 'nodes') return
  const before = recordOf(recordOf(recordOf(write.current)['metadata'])['labels'])
  const refused = Object.entries(recordOf(metadata['labels']))
    .filter(([key, value]) => before[key] !== value && !maySet(key))
    .map(([key]) => key)
  if (refused.length === 0) return
  const text = `is not allowed to modify labels: ${refused.toSorted().join(', ')}`
  throw notAllowed(`nodes "${nodeName}" is forbidden: node "${nodeName}" ${text}`)
}

function maySet(label: string): boolean {
  const domain = label.includes('/') ? (label.split('/')[0] ?? '') : ''
  const isBelow = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`)
  if (isBelow('node-restriction.kubernetes.io')) return false
  if (!isBelow('kubernetes.io') && !isBelow('k8s.io')) return true
  return allowedLabels.has(label) || allowedPrefixes.some(isBelow)
}

function notAllowed(message: string): StatusError {
  return forbidden(message, { kind: 'nodes' })
}
