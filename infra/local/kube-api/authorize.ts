// Who may do what. Roles are not evaluated: who is somebody may do anything, nobody in particular nothing, a node what its
// kubelet needs, and a bootstrap token is good for exactly one thing, asking for a certificate.
import type { Address, Verb } from './api-request.ts'
import { mayNode, nodeNameOf } from './node-identity.ts'
import { forbidden, qualified } from './status-error.ts'
import type { UserInfo } from './user.ts'

const bootstrapVerbs: readonly Verb[] = ['create', 'get', 'list', 'watch']

export function authorize(user: UserInfo, verb: Verb, address: Address): void {
  if (isAllowed(user, verb, address)) return
  const { group, plural, namespace, name } = address
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const what = `User "${user.username}" cannot ${verb} resource "${plural}" in API group "${group}" ${where}`
  const subject = name === undefined ? qualified(plural, group) : `${qualified(plural, group)} "${name}"`
  throw forbidden(`${subject} is forbidden: ${what}`, {
    ...(name !== undefined && { name }),
    ...(group !== '' && { group }),
    kind: plural,
  })
}

function isAllowed(user: UserInfo, verb: Verb, address: Address): boolean {
  if (isClusterInfo(verb, address)) return true
  if (user.groups.includes('system:unauthenticated')) return false
  const nodeName = nodeNameOf(user)
  if (nodeName !== undefined) return mayNode(nodeName, verb, address)
  if (!user.groups.includes('system:bootstrappers')) return true
  return (
    address.group === 'certificates.k8s.io' &&
    address.plural === 'certificatesigningrequests' &&
    address.subresource === undefined &&
    bootstrapVerbs.includes(verb)
  )
}

/** What a machine that joins may read before it is anybody. */
function isClusterInfo(verb: Verb, { group, plural, namespace, name }: Address): boolean {
  return (
    verb === 'get' &&
    group === '' &&
    plural === 'configmaps' &&
    namespace === 'kube-public' &&
    name === 'cluster-info'
  )
}
