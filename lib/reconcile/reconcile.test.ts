import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aNodeClaim, aNodeClass, aNodePool } from '../../test/support/builders/kubernetes.ts'
import {
  aFreeRecord,
  aReconcileWorld,
  anInventoryHost,
  putMember,
  putPendingPod,
  type ReconcileWorld,
} from '../../test/support/worlds/reconcile-world.ts'
import { TransientError } from '../errors/transient-error.ts'
import { nodeClaims, nodePools, sshHosts, sshJoinProfiles, sshNodeClasses } from '../kubernetes/resources.ts'

const ourRef = { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'rack' }
const foreignRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
const isWrite = (request: string) => !/^(get|list) /.test(request)

/** Requests of one more activation that change something. */
async function writesOf(world: ReconcileWorld): Promise<readonly string[]> {
  const before = world.kubernetes.requests.length
  await world.reconcile()
  return world.kubernetes.requests.slice(before).filter(isWrite)
}

function claimedHosts(world: ReconcileWorld): readonly string[] {
  return world.hosts.records.filter(({ claim }) => claim !== undefined).map(({ key }) => key.name)
}

describe('a pending pod', () => {
  it('makes one NodeClaim, which takes a host and asks it to join, in one activation', async () => {
    const world = aReconcileWorld()
    putPendingPod(world, 'web')
    await world.reconcile()
    const [nodeClaim, ...rest] = await world.nodeClaims()
    assert.deepEqual(rest, [])
    assert.deepEqual(world.requests(), ['join h1'])
    assert.equal(world.record().claim?.uid, nodeClaim?.metadata.uid)
    assert.deepEqual(world.events.lines, ['Pod/web Nominated'])
    assert.equal(world.events.told[0]?.message, `The pod is expected on "${nodeClaim?.metadata.name}"`)
  })

  it('waits for an install where the host was not installed, or with other vars', async () => {
    const world = aReconcileWorld()
    world.kubernetes.put(sshNodeClasses, aNodeClass({ spec: { vars: { k8sMinor: '1.36' } } }))
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(world.requests(), ['install h1'])
  })
})

describe('a NodeClaim that was launched', () => {
  async function launched() {
    const world = aReconcileWorld({ hosts: [] })
    const spec = { zone: 'rack-3', capacity: { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '1' } }
    const labels = { 'karpenter.dklesev.github.io/host-class': 'big' }
    world.kubernetes.put(sshHosts, anInventoryHost('h1', { spec, metadata: { labels } }))
    world.kubernetes.put(sshNodeClasses, aNodeClass({ spec: { kubeReserved: { cpu: '100m' } } }))
    world.hosts.put(aFreeRecord('h1', { hostClass: 'big' }))
    putPendingPod(world, 'web')
    await world.reconcile()
    const [nodeClaim] = await world.nodeClaims()
    assert.ok(nodeClaim)
    return nodeClaim
  }

  it('ref 136: has the providerID of its host, its size, and what its class was like', async () => {
    const { metadata, status } = await launched()
    assert.equal(status?.providerID, 'kpssh://kpssh-system/h1')
    assert.deepEqual(status.capacity, { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '1', pods: '110' })
    assert.deepEqual(status.allocatable, { cpu: '3900m', memory: '8Gi', 'nvidia.com/gpu': '1', pods: '110' })
    assert.equal(metadata.annotations?.['karpenter.dklesev.github.io/nodeclass-hash'], '54a1ce9690933870')
    assert.equal(metadata.annotations['karpenter.dklesev.github.io/nodeclass-hash-version'], 'v1')
  })

  it('ref 141: has the class, architecture, system, zone and capacity type of its host as labels', async () => {
    const { labels = {} } = (await launched()).metadata
    assert.deepEqual(
      ['node.kubernetes.io/instance-type', 'kubernetes.io/arch', 'kubernetes.io/os'].map(
        (key) => labels[key],
      ),
      ['big', 'amd64', 'linux'],
    )
    assert.deepEqual(
      ['topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'].map((key) => labels[key]),
      ['rack-3', 'on-demand'],
    )
  })
})

describe('a message that comes again', () => {
  it('changes nothing the second time, and writes nothing the third', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    putPendingPod(world, 'web')
    const message = await world.observe()
    await world.reconcile(message)
    const after = world.hosts.records
    await world.reconcile(message)
    assert.deepEqual(world.hosts.records, after)
    assert.equal((await world.nodeClaims()).length, 1)
    assert.deepEqual(world.requests(), ['join h1'])
    await world.reconcile()
    assert.deepEqual(await writesOf(world), [])
  })

  it('SQS-06: three messages about five pods make exactly the NodeClaims that are needed', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2', 'h3', 'h4', 'h5'] })
    for (const name of ['a', 'b', 'c', 'd', 'e']) putPendingPod(world, name, { cpu: '1500m' })
    const message = await world.observe()
    for (let time = 0; time < 3; time += 1) await world.reconcile(message)
    // Two pods of 1.5 CPUs fit on a host of 3.92.
    assert.equal((await world.nodeClaims()).length, 3)
    assert.deepEqual(claimedHosts(world), ['h1', 'h2', 'h3'])
  })

  it('side by side with itself claims no host twice', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2', 'h3'] })
    putPendingPod(world, 'web')
    const message = await world.observe()
    await Promise.all([world.reconcile(message), world.reconcile(message)])
    const uids = world.hosts.records.flatMap(({ claim }) => claim?.uid ?? [])
    assert.equal(new Set(uids).size, uids.length)
    assert.deepEqual(uids.sort(), (await world.nodeClaims()).map(({ metadata }) => metadata.uid).sort())
  })
})

describe('many pending pods', () => {
  it('make no more NodeClaims than there are free hosts, and the others are told why', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    for (const name of ['a', 'b', 'c']) putPendingPod(world, name, { cpu: '3' })
    await world.reconcile()
    assert.equal((await world.nodeClaims()).length, 2)
    assert.deepEqual(claimedHosts(world), ['h1', 'h2'])
    assert.deepEqual(world.events.lines, ['Pod/c FailedScheduling', 'Pod/a Nominated', 'Pod/b Nominated'])
  })

  it('on as many equal hosts are all served in one activation', async () => {
    const names = Array.from({ length: 24 }, (_, index) => `h${index + 1}`)
    const world = aReconcileWorld({ hosts: names })
    for (const name of names) putPendingPod(world, `pod-${name}`, { cpu: '3' })
    await world.reconcile()
    assert.equal(claimedHosts(world).length, 24)
    assert.equal(world.requests().length, 24)
  })
})

describe('a message without the pods that are bound', () => {
  it('expects no room on Nodes that may be full, and opens no second NodeClaim for the same pod', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2', 'h3'] })
    await putMember(world, 'h1')
    putPendingPod(world, 'web')
    for (let time = 0; time < 2; time += 1)
      await world.reconcile(await world.observe({ degraded: ['boundPods:20000'] }))
    assert.deepEqual(claimedHosts(world), ['h1', 'h2'])
  })
})

describe('a class that is not Ready', () => {
  it('launches nothing, and its pool says why', async () => {
    const world = aReconcileWorld()
    world.kubernetes.vanish(sshJoinProfiles, 'demo')
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(await world.nodeClaims(), [])
    assert.deepEqual(claimedHosts(world), [])
    const pool = await world.kubernetes.get(nodePools, 'workers')
    const ready = pool?.status?.conditions?.find(({ type }) => type === 'NodeClassReady')
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'ProfileNotFound'])
    assert.deepEqual(world.events.lines, ['SSHNodeClass/rack ProfileNotFound', 'Pod/web FailedScheduling'])
  })

  it('ref 122: every class learns of a new host in one activation', async () => {
    const world = aReconcileWorld({ hosts: [] })
    world.kubernetes.put(sshNodeClasses, aNodeClass({ name: 'other' }))
    const reasons = async () =>
      (await world.kubernetes.list(sshNodeClasses)).map(
        ({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.reason,
      )
    await world.reconcile()
    assert.deepEqual(await reasons(), ['NoHosts', 'NoHosts'])
    world.kubernetes.put(sshHosts, anInventoryHost('h1'))
    await world.reconcile()
    assert.deepEqual(await reasons(), ['Ready', 'Ready'])
  })

  it('ref 142: is not what a class is that could not be read: the activation fails and gives up nothing', async () => {
    const world = aReconcileWorld()
    world.kubernetes.put(nodeClaims, aNodeClaim())
    const message = await world.observe()
    world.kubernetes.before = (verb, plural) => {
      if (verb === 'list' && plural === 'sshnodeclasses')
        throw new TransientError('Cannot read: 503, look again')
    }
    await assert.rejects(world.reconcile(message), TransientError)
    assert.equal((await world.nodeClaims()).length, 1)
    assert.deepEqual(world.events.lines, [])
  })

  it('ref 133: gives up a NodeClaim of a class that does not exist', async () => {
    const world = aReconcileWorld()
    world.kubernetes.put(
      nodeClaims,
      aNodeClaim({ name: 'by-hand', spec: { nodeClassRef: { ...ourRef, name: 'none' } } }),
    )
    await world.reconcile()
    assert.deepEqual(await world.nodeClaims(), [])
    assert.deepEqual(claimedHosts(world), [])
    const [event] = world.events.told
    assert.deepEqual(
      [event?.reason, event?.message],
      ['NodeClassNotReady', 'SSHNodeClass is not ready: NodeClassNotFound the SSHNodeClass does not exist'],
    )
  })
})

describe('objects of a neighbor', () => {
  it('KS-184: are never written, whatever happens around them', async () => {
    const world = aReconcileWorld()
    const pool = aNodePool({ name: 'foreign' })
    const template = { spec: { ...pool.spec.template.spec, nodeClassRef: foreignRef } }
    world.kubernetes.put(nodePools, { ...pool, spec: { ...pool.spec, template } })
    const metadata = { uid: 'uid-foreign', finalizers: [], labels: { 'karpenter.sh/nodepool': 'foreign' } }
    world.kubernetes.put(
      nodeClaims,
      aNodeClaim({ name: 'foreign-1', metadata, spec: { nodeClassRef: foreignRef } }),
    )
    putPendingPod(world, 'web')
    await world.reconcile()
    await world.heartbeat()
    assert.deepEqual(
      world.kubernetes.requests.filter((request) => isWrite(request) && request.includes('foreign')),
      [],
    )
  })

  it('ref 140: a pod that only their pool takes makes no NodeClaim of ours, and no complaint', async () => {
    const world = aReconcileWorld()
    const pool = aNodePool({ name: 'foreign' })
    const template = { spec: { ...pool.spec.template.spec, nodeClassRef: foreignRef } }
    const status = { conditions: [{ type: 'Ready', status: 'True' as const }] }
    world.kubernetes.put(nodePools, { ...pool, spec: { ...pool.spec, template }, status })
    putPendingPod(world, 'web', { spec: { nodeSelector: { 'karpenter.sh/nodepool': 'foreign' } } })
    await world.reconcile()
    assert.deepEqual(await world.nodeClaims(), [])
    assert.deepEqual(world.events.lines, [])
  })
})

describe('a NodeClaim whose requirements nobody can read', () => {
  it('is given up, and costs the others nothing', async () => {
    const world = aReconcileWorld()
    const requirements = [{ key: 'rack', operator: 'Resembles', values: ['r1'] }]
    world.kubernetes.put(nodeClaims, aNodeClaim({ name: 'by-hand', spec: { requirements } }))
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(world.requests(), ['join h1'])
    assert.deepEqual(world.events.lines, ['NodeClaim/by-hand InsufficientCapacityError', 'Pod/web Nominated'])
  })
})

describe('hosts that are one machine', () => {
  it('are reported, and not claimed', async () => {
    const world = aReconcileWorld({ hosts: ['h1', 'h2'] })
    const pins = [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'A'.repeat(43)}` }]
    for (const record of world.hosts.records) world.hosts.put({ ...record, hostKeys: pins })
    putPendingPod(world, 'web')
    await world.reconcile()
    assert.deepEqual(claimedHosts(world), [])
    const reports = world.events.told.filter(({ reason }) => reason === 'SharedMachine')
    assert.deepEqual(
      reports.map(({ object, message }) => [object.name, /"h[12]"/.exec(message)?.[0]]).sort(),
      [
        ['h1', '"h2"'],
        ['h2', '"h1"'],
      ],
    )
  })
})
