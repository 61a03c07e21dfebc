// Which labels a kubelet may put on its own Node: the API server's NodeRestriction and the kubelet itself refuse the rest.
import { keyPrefix } from './label-syntax.ts'

const namedLabels = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
])

/** A prefix within kubernetes.io or k8s.io is reserved, but for the kubelet's own and the labels named above. */
export function kubeletMaySelfSet(key: string): boolean {
  const prefix = keyPrefix(key)
  if (!isWithin(prefix, 'kubernetes.io') && !isWithin(prefix, 'k8s.io')) return true
  if (isWithin(prefix, 'kubelet.kubernetes.io') || isWithin(prefix, 'node.kubernetes.io')) return true
  return namedLabels.has(key)
}

function isWithin(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`)
}

/** `k=v` joined with commas and sorted by key, without labels that would make the kubelet exit. */
export function formatKubeletLabels(labels: Readonly<Record<string, string>>): string {
  return Object.keys(labels)
    .filter(kubeletMaySelfSet)
    .sort()
    .map((key) => `${key}=${labels[key] ?? ''}`)
    .join(',')
}
