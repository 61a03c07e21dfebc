// The scale of a workload as an object of its own, which `kubectl scale` reads and writes.
import type { JsonRecord } from '../json.ts'
import { listOf, recordOf } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { badRequest } from '../status-error.ts'

export function scaleOf(object: KubeObject): KubeObject {
  const spec = recordOf(object['spec'])
  const status = recordOf(object['status'])
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: { replicas: spec['replicas'] ?? 0 },
    status: { replicas: status['replicas'] ?? 0, selector: selectorText(recordOf(spec['selector'])) },
  }
}

/** The workload with the replicas that a changed scale asks for. */
export function withScale(object: KubeObject, scale: unknown): JsonRecord {
  const { replicas } = recordOf(recordOf(scale)['spec'])
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    throw badRequest('Scale is invalid: spec.replicas must be a number that is not negative')
  }
  const { resourceVersion } = recordOf(recordOf(scale)['metadata'])
  return {
    ...object,
    metadata: { ...object.metadata, ...(typeof resourceVersion === 'string' && { resourceVersion }) },
    spec: { ...recordOf(object['spec']), replicas },
  }
}

function selectorText(selector: JsonRecord): string {
  const equal = Object.entries(recordOf(selector['matchLabels'])).map(
    ([key, value]) => `${key}=${String(value)}`,
  )
  return listOf(selector['matchExpressions']).length === 0 ? equal.join(',') : ''
}
