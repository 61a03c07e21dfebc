// What hosts offer. There, one instance type per class with the least of its hosts and a price; here, each host for itself.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SSHHost } from '../../lib/api/ssh-host.ts'
import { SSHNodeClass } from '../../lib/api/ssh-node-class.ts'
import type { HostRecord } from '../../lib/hosts/host-record.ts'
import { hostKeyText } from '../../lib/hosts/host-record.ts'
import { hostSize } from '../../lib/node-claim/host-size.ts'
import type { FreeHost } from '../../lib/provisioning/free-host.ts'
import { rankHosts } from '../../lib/provisioning/rank-hosts.ts'
import { freeHostsOf } from '../../lib/reconcile/free-hosts.ts'
import { hostClassOf } from '../../lib/reconcile/inventory.ts'
import { aClaim, t0 } from '../support/builders/hosts.ts'
import { aFreeHost } from '../support/builders/free-hosts.ts'
import { aNodeClaim } from '../support/builders/nodes.ts'
import { aNodeClass, aNodePool, anSSHHost } from '../support/builders/kubernetes.ts'
import { aFreeRecord, anInventoryHost } from '../support/worlds/reconcile-world.ts'

type HostOf = readonly [SSHHost, HostRecord]

function aClassedHost(name: string, hostClass: string, overrides: Partial<HostRecord> = {}): HostOf {
  const labels = { 'karpenter.dklesev.github.io/host-class': hostClass }
  return [anInventoryHost(name, { metadata: { labels } }), aFreeRecord(name, { hostClass, ...overrides })]
}

/** What a Ready class could launch on. */
function freeHosts(hosts: readonly HostOf[], nodeClass = aNodeClass()): readonly FreeHost[] {
  const text = (record: HostRecord) => hostKeyText(record.key)
  return freeHostsOf(
    {
      nodeClaims: [],
      nodePools: [aNodePool()],
      nodeClasses: new Map([['rack', nodeClass]]),
      verdicts: new Map([['rack', { status: 'True', reason: 'Ready', message: '' }]]),
      profiles: new Map(),
      sshHosts: new Map(hosts.map(([sshHost, record]) => [text(record), sshHost])),
      records: new Map(hosts.map(([, record]) => [text(record), record])),
    },
    nodeClass,
    t0,
  )
}

describe('the order of free hosts', () => {
  it('ref 82: is by size, which is what the price is made of, and leaves the list as it was', () => {
    const sized = (name: string, cpu: string) =>
      aFreeHost({ name, capacity: { cpu, memory: '64Gi', pods: '110' } })
    const hosts = [sized('big', '64'), sized('small', '2'), sized('mid', '8')]
    const names = (list: readonly FreeHost[]) => list.map(({ key }) => key.name)
    assert.deepEqual(names(rankHosts(aNodeClaim(), hosts)), ['small', 'mid', 'big'])
    assert.deepEqual(names(hosts), ['big', 'small', 'mid'])
  })
})

describe('free hosts', () => {
  it('ref 123: are those that are Available, each with its class, size and architecture', () => {
    const claim = aClaim({ uid: 'uid-9' })
    const free = freeHosts([
      aClassedHost('h1', 'big'),
      aClassedHost('h2', 'big', { state: 'Claimed', claim }),
      aClassedHost('h3', 'small', { state: 'Unhealthy' }),
    ])
    assert.deepEqual(
      free.map(({ key, hostClass, arch, capacity }) => [key.name, hostClass, arch, capacity]),
      [['h1', 'big', 'amd64', { cpu: '4', memory: '8Gi', pods: '110' }]],
    )
  })

  it('ref 124: of an empty pool are none, which is no error', () => assert.deepEqual(freeHosts([]), []))

  it('ref 125: are not those that no probe has seen: nobody knows their architecture', () => {
    assert.deepEqual(freeHosts([aClassedHost('h1', 'big', { arch: undefined })]), [])
    assert.deepEqual(freeHosts([aClassedHost('h1', 'big', { takenIn: false, state: 'Pending' })]), [])
  })

  it('ref 128: without the label, or with an empty one, are of class default, for the claim as well', () => {
    const emptied = anSSHHost({ metadata: { labels: { 'karpenter.dklesev.github.io/host-class': '' } } })
    assert.deepEqual([hostClassOf(anSSHHost()), hostClassOf(emptied)], ['default', 'default'])
    const [free] = freeHosts([[anInventoryHost('h1'), aFreeRecord('h1')]])
    assert.equal(free?.hostClass, 'default')
  })

  it('ref 129: of one class and different sizes offer each its own, GPUs too', () => {
    const small = anInventoryHost('h1', { spec: { capacity: { cpu: '4', memory: '16Gi' } } })
    const large = anInventoryHost('h2', {
      spec: { capacity: { cpu: '8', memory: '32Gi', 'nvidia.com/gpu': '2' } },
    })
    const free = freeHosts([
      [small, aFreeRecord('h1')],
      [large, aFreeRecord('h2')],
    ])
    assert.deepEqual(
      free.map(({ capacity }) => capacity),
      [
        { cpu: '4', memory: '16Gi', pods: '110' },
        { cpu: '8', memory: '32Gi', 'nvidia.com/gpu': '2', pods: '110' },
      ],
    )
  })

  it('ref 130: of one class and two architectures are offered each with its own', () => {
    const free = freeHosts([aClassedHost('h1', 'big'), aClassedHost('h2', 'big', { arch: 'arm64' })])
    assert.deepEqual(
      free.map(({ arch }) => arch),
      ['amd64', 'arm64'],
    )
  })
})

describe('the size of a host', () => {
  it('ref 127: counts what the class says of pods and of what the kubelet keeps', () => {
    const nodeClass = aNodeClass({ spec: { maxPods: 42, kubeReserved: { cpu: '200m' } } })
    assert.deepEqual(hostSize(anSSHHost(), nodeClass), {
      capacity: { cpu: '4', memory: '8Gi', pods: '42' },
      // The class's reservation takes the place of the default: nothing is kept of the memory.
      allocatable: { cpu: '3800m', memory: '8Gi', pods: '42' },
    })
  })

  it('ref 127: takes the pods of the host where the class says nothing, and 110 where nobody does', () => {
    const own = anSSHHost({ spec: { capacity: { cpu: '4', memory: '8Gi', pods: '20' } } })
    assert.equal(hostSize(own, aNodeClass()).capacity?.['pods'], '20')
    assert.equal(hostSize(own, aNodeClass({ spec: { maxPods: 42 } })).capacity?.['pods'], '42')
    assert.deepEqual(hostSize(anSSHHost(), aNodeClass()).allocatable, {
      cpu: '3920m',
      memory: '7892Mi',
      pods: '110',
    })
  })
})

describe('an object that says nonsense', () => {
  it('ref 126: is refused with a price that is no number, before anybody would calculate with it', () => {
    assert.equal(SSHNodeClass.safeParse(aNodeClass({ spec: { pricePerCPUHour: 'cheap' } })).success, false)
    assert.equal(SSHNodeClass.safeParse(aNodeClass({ spec: { pricePerCPUHour: '0.25' } })).success, true)
  })

  it('ref 131: is refused with no CPUs', () => {
    const of = (cpu: string) =>
      SSHHost.safeParse(anSSHHost({ spec: { capacity: { cpu, memory: '8Gi' } } })).success
    assert.deepEqual([of('0'), of('-1'), of('1')], [false, false, true])
  })
})
