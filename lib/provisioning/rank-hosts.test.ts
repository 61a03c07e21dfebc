import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aFreeHost } from '../../test/support/builders/free-hosts.ts'
import type { Requirement } from '../api/node-pool.ts'
import type { FreeHost } from './free-host.ts'
import { rankHosts } from './rank-hosts.ts'

function names(hosts: readonly FreeHost[]): string[] {
  return hosts.map(({ key }) => key.name)
}
function nodeClaim(requests: Record<string, string> = {}, requirements: Requirement[] = []) {
  const nodeClassRef = { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'c' }
  return { spec: { nodeClassRef, requirements, resources: { requests }, expireAfter: 'Never' } }
}
function sized(name: string, cpu: string, memory = '8Gi'): FreeHost {
  return aFreeHost({ name, capacity: { cpu, memory, pods: '110' } })
}

describe('rankHosts', () => {
  it('takes the smallest that fits', () => {
    const hosts = [sized('large', '16'), sized('small', '2'), sized('middle', '4')]
    assert.deepEqual(names(rankHosts(nodeClaim({ cpu: '3' }), hosts)), ['middle', 'large'])
  })

  it('compares memory where the CPUs are equal', () => {
    const hosts = [sized('b', '4', '16Gi'), sized('a', '4', '8Gi')]
    assert.deepEqual(names(rankHosts(nodeClaim(), hosts)), ['a', 'b'])
  })

  it('takes a host that failed lately last among equals', () => {
    const hosts = [aFreeHost({ name: 'a', failureCount: 2 }), aFreeHost({ name: 'b', failureCount: 0 })]
    assert.deepEqual(names(rankHosts(nodeClaim(), hosts)), ['b', 'a'])
  })

  it('ref 89: takes the older first, then the first by name', () => {
    const hosts = [
      aFreeHost({ name: 'a-newer', createdAt: '2026-01-02T00:00:00Z' }),
      aFreeHost({ name: 'c-older' }),
      aFreeHost({ name: 'b-older' }),
    ]
    assert.deepEqual(names(rankHosts(nodeClaim(), hosts)), ['b-older', 'c-older', 'a-newer'])
  })

  it('ref 137: heeds requirements on class, architecture and capacity type', () => {
    const hosts = [aFreeHost({ name: 'a' }), aFreeHost({ name: 'b', hostClass: 'big', arch: 'arm64' })]
    const of = (key: string, values: string[]) =>
      names(rankHosts(nodeClaim({}, [{ key, operator: 'In', values }]), hosts))
    assert.deepEqual(of('node.kubernetes.io/instance-type', ['big']), ['b'])
    assert.deepEqual(of('kubernetes.io/arch', ['amd64']), ['a'])
    assert.deepEqual(of('karpenter.sh/capacity-type', ['spot']), [])
    assert.deepEqual(of('topology.kubernetes.io/region', ['eu']), ['a', 'b'])
    assert.deepEqual(of('custom.example.com/rack', ['r1']), ['a', 'b'])
  })

  it('takes none where a resource is missing', () => {
    assert.deepEqual(rankHosts(nodeClaim({ 'nvidia.com/gpu': '1' }), [aFreeHost()]), [])
  })
})
