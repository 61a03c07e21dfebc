import type { FreeHost } from '../../../lib/provisioning/free-host.ts'

/** A host of class `small` with 4 CPUs and 8Gi, nothing of it reserved. */
export function aFreeHost(overrides: Partial<FreeHost> & { name?: string } = {}): FreeHost {
  const { name = 'h1', ...rest } = overrides
  const capacity = rest.capacity ?? { cpu: '4', memory: '8Gi', pods: '110' }
  return {
    key: { pool: 'test', namespace: 'kpssh-system', name },
    text: `test/kpssh-system/${name}`,
    hostClass: 'small',
    capacity,
    allocatable: capacity,
    arch: 'amd64',
    zone: 'pool',
    createdAt: '2026-01-01T00:00:00Z',
    failureCount: 0,
    ...rest,
  }
}
