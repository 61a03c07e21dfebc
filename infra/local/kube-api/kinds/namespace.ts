import { listOf, recordOf } from '../json.ts'
import type { KindRules } from '../resource-type.ts'

/** A namespace goes when its content has gone: the namespace controller then takes the finalizer in spec away. */
export const namespaceRules: KindRules = {
  prepareCreate(object) {
    const { metadata } = object
    const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name }
    return {
      ...object,
      metadata: { ...metadata, labels },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }
  },
  prepareUpdate: (next, current) => ({ ...next, spec: recordOf(current['spec']) }),
  prepareDelete: (object) => ({ ...object, status: { ...recordOf(object['status']), phase: 'Terminating' } }),
  isHeld: (object) => listOf(recordOf(object['spec'])['finalizers']).length > 0,
}
