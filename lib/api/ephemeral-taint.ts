import { taints } from './names.ts'
import { isSameTaint, type Taint } from './taint.ts'

const ephemeralTaints: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule', value: 'true' },
  taints.unregistered,
]
const readinessPrefix = 'readiness.k8s.io/'

/** Whether the taint goes away by itself while a node starts. */
export function isEphemeralTaint(taint: Taint): boolean {
  return (
    taint.key.startsWith(readinessPrefix) ||
    ephemeralTaints.some(
      (each) => isSameTaint(each, taint) && (each.value === undefined || each.value === taint.value),
    )
  )
}
