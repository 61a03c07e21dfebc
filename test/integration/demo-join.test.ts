import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listOf, recordOf, valueAt } from '../../infra/local/kube-api/json.ts'
import { eventually } from '../support/eventually.ts'
import { assertDone, startDemoWorld, type DemoWorld } from './demo-hosts/demo-world.ts'

describe('a demo host and the cluster', () => {
  let world: DemoWorld
  before(async () => {
    world = await startDemoWorld(['one'])
  })
  after(() => world.close())
  const active = async (): Promise<string> =>
    (await world.hosts.run('one', 'systemctl is-active kubelet')).stdout.trim()
  const log = async (): Promise<string> => (await world.hosts.run('one', 'journalctl -u kubelet')).stdout
  const lease = (): unknown =>
    world.server.store.get('coordination.k8s.io/leases', 'kube-node-lease', 'claim-1')
  const removeNode = (name: string): void =>
    void world.server.handle({ method: 'DELETE', url: `/api/v1/nodes/${name}` })

  it('installs without becoming a node, twice alike', async () => {
    for (let run = 0; run < 2; run += 1) assertDone(await world.run('one', 'install'))
    assert.equal(await active(), 'inactive')
    assert.deepEqual(world.server.store.list('/nodes'), [])
  })

  it('joins by TLS bootstrap: a token buys a certificate, the certificate a Node', async () => {
    assertDone(await world.join('one', 'claim-1'))
    await world.becomesReady('claim-1')
    const node = world.node('claim-1')
    assert.equal(valueAt(node, ['spec', 'providerID']), 'kpssh://pool/one')
    assert.equal(valueAt(node, ['metadata', 'labels', 'example.com/a']), 'b')
    assert.deepEqual(valueAt(node, ['status', 'capacity', 'cpu']), '2')
    assert.deepEqual(listOf(valueAt(node, ['status', 'addresses'])).map(recordOf)[0], {
      type: 'InternalIP',
      address: '192.0.2.11',
    })
    assert.deepEqual(
      listOf(valueAt(node, ['spec', 'taints'])).map((taint) => recordOf(taint)['key']),
      ['karpenter.sh/unregistered'],
    )
    const users = new Set(world.server.requests().map(({ username }) => username))
    assert.deepEqual([...users].toSorted(), ['system:bootstrap:token1', 'system:node:claim-1'])
  })

  it('renews a Lease that goes with the Node', async () => {
    const renewed = (): unknown => valueAt(lease(), ['spec', 'renewTime'])
    const first = await eventually(renewed, 'the first Lease')
    await eventually(() => renewed() !== first, 'the Lease to be renewed')
  })

  it('joins again under its name without a new certificate', async () => {
    const requests = (): number =>
      world.server.store.list('certificates.k8s.io/certificatesigningrequests').length
    const before = requests()
    assertDone(await world.join('one', 'claim-1'))
    await eventually(async () => (await log()).includes('took over Node claim-1'))
    assert.equal(requests(), before)
  })

  it('does not come back by itself when its Node is deleted, and neither does its Lease', async () => {
    removeNode('claim-1')
    await eventually(async () => (await log()).includes('Node claim-1 not found'))
    await eventually(() => lease() === undefined, 'the Lease to be collected')
    assert.equal(world.node('claim-1'), undefined)
    assert.equal(await active(), 'active')
  })

  it('comes back with a reboot, if its unit is enabled', async () => {
    await world.hosts.reboot('one')
    await world.becomesReady('claim-1')
  })

  it("leaves for good: the kubelet is stopped and disabled, the Node is somebody else's to delete", async () => {
    for (let run = 0; run < 2; run += 1) assertDone(await world.run('one', 'leave'))
    assert.equal(await active(), 'inactive')
    assert.equal((await world.hosts.run('one', 'systemctl is-enabled kubelet')).stdout.trim(), 'disabled')
    assert.notEqual(world.node('claim-1'), undefined)
    removeNode('claim-1')
    await world.hosts.reboot('one')
    assert.equal(await active(), 'inactive')
    assert.deepEqual(world.server.store.list('/nodes'), [])
  })

  it('joins warm as another node, without an install', async () => {
    assertDone(await world.join('one', 'claim-2'))
    await world.becomesReady('claim-2')
  })

  it('rejoins as a zombie where somebody enables the kubelet of a host that left', async () => {
    assertDone(await world.run('one', 'leave'))
    removeNode('claim-2')
    await world.hosts.run('one', 'systemctl enable kubelet')
    await world.hosts.reboot('one')
    await world.becomesReady('claim-2')
    assertDone(await world.run('one', 'leave'))
    removeNode('claim-2')
  })

  it('fails one join when it is asked to, and says why; the next one works', async () => {
    await world.hosts.failNextJoin('one')
    const failed = await world.join('one', 'claim-3')
    assert.equal(failed.exitCode, 1)
    assert.match(failed.stderr, /this join was asked to fail/)
    assert.equal(world.node('claim-3'), undefined)
    assertDone(await world.run('one', 'leave'))
    assertDone(await world.join('one', 'claim-4'))
    await world.becomesReady('claim-4')
  })

  it('fails a join without what it needs, and one whose token nobody knows', async () => {
    const nameless = await world.run('one', 'join', { KPSSH_CLUSTER_ENDPOINT: world.server.url })
    assert.notEqual(nameless.exitCode, 0)
    assert.match(nameless.stderr, /KPSSH_CLUSTER_CA_B64/)
    const unknown = await world.run('one', 'join', {
      KPSSH_CLUSTER_ENDPOINT: world.server.url,
      KPSSH_CLUSTER_CA_B64: Buffer.from(world.server.caPem).toString('base64'),
      KPSSH_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
      KPSSH_NODE_NAME: 'claim-5',
    })
    assert.equal(unknown.exitCode, 1)
    assert.match(unknown.stderr, /401 Unauthorized/)
  })

  it('forgets everything when it is uninstalled', async () => {
    assertDone(await world.run('one', 'uninstall'))
    const left = await world.hosts.run(
      'one',
      'cd $KPSSH_ROOT; ls etc/kubernetes usr/local/bin etc/systemd/system/kubelet* 2>/dev/null',
    )
    assert.equal(left.stdout.replaceAll(/.*:\n|\n/g, ''), '')
    assertDone(await world.run('one', 'leave'))
  })
})
