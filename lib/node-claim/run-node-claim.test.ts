import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaimedHost, aHost, aHostKey, aJoinedHost, t0 } from '../../test/support/builders/hosts.ts'
import {
  aNode,
  aNodeClaim,
  aNodeClass,
  aPod,
  anSSHHost,
  isTrueNow,
} from '../../test/support/builders/kubernetes.ts'
import { fakeClock } from '../../test/support/fakes/clock.ts'
import { fakeHostStore } from '../../test/support/fakes/host-store.ts'
import { makeFakeKubernetes } from '../../test/support/fakes/kubernetes.ts'
import { fakeMessageSender } from '../../test/support/fakes/message-sender.ts'
import { fakeNodeClaimBindings } from '../../test/support/fakes/node-claim-bindings.ts'
import type { Node } from '../api/node.ts'
import type { NodeClaim } from '../api/node-claim.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { makeChangeHost } from '../hosts/change-host.ts'
import { nodeClaims, nodes, pods } from '../kubernetes/resources.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import { runNodeClaim } from './run-node-claim.ts'

function aWorld(start: {
  readonly nodeClaim: NodeClaim
  readonly hosts: readonly HostRecord[]
  readonly node?: Node
}) {
  const kubernetes = makeFakeKubernetes()
  kubernetes.put(nodeClaims, start.nodeClaim)
  if (start.node !== undefined) kubernetes.put(nodes, start.node)
  const hosts = fakeHostStore(...start.hosts)
  const sender = fakeMessageSender()
  const bindings = fakeNodeClaimBindings()
  const recorded: string[] = []
  let writes = 0
  const deps = {
    cluster: 'lab',
    kubernetes,
    changeHost: makeChangeHost({ hosts, nextWriteID: () => `w-${(writes += 1)}` }),
    bindings,
    sender,
    events: { record: async ({ reason }: { reason: string }) => void recorded.push(reason) },
    clock: fakeClock(t0),
  }
  async function view(overrides: Partial<NodeClaimView> = {}): Promise<NodeClaimView> {
    const nodeClaim = await kubernetes.get(nodeClaims, start.nodeClaim.metadata.name)
    assert.ok(nodeClaim)
    const uid = nodeClaim.metadata.uid
    const record = (await hosts.list('lab')).find((each) => each.claim?.uid === uid)
    const node = await kubernetes.get(nodes, 'workers-abcde')
    return {
      nodeClaim,
      host: record,
      boundTo: record,
      isBound: record !== undefined,
      sshHosts: new Map([['lab/kpssh-system/h1', anSSHHost()]]),
      nodeClass: aNodeClass(),
      classReady: { status: 'True', reason: 'Ready', message: '' },
      wanted: { marker: 'demo@1', vars: 'vars-1' },
      nodes: node === undefined ? [] : [node],
      candidates: [],
      registrationTimeoutMs: 900_000,
      isHeartbeat: false,
      ...overrides,
    }
  }
  return { deps, kubernetes, hosts, sender, bindings, recorded, view }
}

const launched = { providerID: 'kpssh://kpssh-system/h1', conditions: [isTrueNow('Launched')] }
const initialized = {
  providerID: 'kpssh://kpssh-system/h1',
  nodeName: 'workers-abcde',
  conditions: ['Launched', 'Registered', 'Initialized'].map((type) => isTrueNow(type)),
}

describe('runNodeClaim', () => {
  it('goes from a fresh NodeClaim to a claimed host that was asked to join, in one activation', async () => {
    const world = aWorld({
      nodeClaim: aNodeClaim({ metadata: { finalizers: [] } }),
      hosts: [aHost({ installed: 'demo@1', installedVars: 'vars-1' })],
    })
    const run = await runNodeClaim(world.deps, await world.view({ candidates: [aHostKey()] }))
    assert.deepEqual(run.steps, ['add-finalizer', 'claim-host', 'update', 'update'])
    const host = await world.hosts.get(aHostKey())
    assert.deepEqual(
      [host?.state, host?.claim?.uid, host?.providerID],
      ['Claimed', 'uid-1', 'kpssh://kpssh-system/h1'],
    )
    assert.deepEqual(
      world.sender.sent.map(({ queue, message }) => [
        queue,
        message.type === 'RunPhase' && message.nodeClaim?.uid,
      ]),
      [['join', 'uid-1']],
    )
  })

  it('takes the next candidate when a rival took the first one, and keeps the binding to that', async () => {
    const world = aWorld({ nodeClaim: aNodeClaim(), hosts: [aHost({ name: 'h2' })] })
    await world.hosts.create(
      aClaimedHost({ claim: { cluster: 'lab', nodeClaim: 'x', uid: 'uid-9', sinceMs: t0 } }),
    )
    await runNodeClaim(world.deps, await world.view({ candidates: [aHostKey('h1'), aHostKey('h2')] }))
    assert.equal((await world.hosts.get(aHostKey('h2')))?.claim?.uid, 'uid-1')
    assert.deepEqual(await world.bindings.get('uid-1'), aHostKey('h2'))
  })

  it('SQS-19: two activations at once for one NodeClaim claim one host between them', async () => {
    const world = aWorld({ nodeClaim: aNodeClaim(), hosts: [aHost({ name: 'h1' }), aHost({ name: 'h2' })] })
    const views = await Promise.all([
      world.view({ candidates: [aHostKey('h1')] }),
      world.view({ candidates: [aHostKey('h2')] }),
    ])
    await Promise.all(views.map((view) => runNodeClaim(world.deps, view)))
    const claimed = (await world.hosts.list('lab')).filter((host) => host.claim !== undefined)
    assert.equal(claimed.length, 1)
  })

  it('registers and initializes a Node that is ready, in one activation', async () => {
    const world = aWorld({
      nodeClaim: aNodeClaim({
        metadata: { labels: { team: 'a' } },
        spec: { taints: [{ key: 'pool', effect: 'NoSchedule' }] },
        status: launched,
      }),
      hosts: [aJoinedHost({ state: 'Claimed', nodeName: undefined })],
      node: aNode(),
    })
    const run = await runNodeClaim(world.deps, await world.view())
    assert.deepEqual(run.steps, ['match-node', 'register-node', 'update', 'initialize-node', 'update'])
    const node = await world.kubernetes.get(nodes, 'workers-abcde')
    assert.deepEqual(node?.spec?.taints, [{ key: 'pool', effect: 'NoSchedule' }])
    assert.deepEqual(node?.metadata.labels, {
      team: 'a',
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    })
    assert.deepEqual(node?.metadata.finalizers, ['karpenter.sh/termination'])
    assert.equal(node?.metadata.ownerReferences?.[0]?.uid, 'uid-1')
    const nodeClaim = await world.kubernetes.get(nodeClaims, 'workers-abcde')
    assert.equal(nodeClaim?.status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True')
    assert.equal((await world.hosts.get(aHostKey()))?.state, 'InUse')
  })

  it('KS-117: says that the unregistered taint was missing, and registers anyway', async () => {
    const world = aWorld({
      nodeClaim: aNodeClaim({ status: launched }),
      hosts: [aJoinedHost()],
      node: aNode({ spec: { taints: [] } }),
    })
    await runNodeClaim(world.deps, await world.view())
    assert.deepEqual(world.recorded, ['UnregisteredTaintMissing'])
    assert.equal(
      (await world.kubernetes.get(nodes, 'workers-abcde'))?.metadata.labels?.['karpenter.sh/registered'],
      'true',
    )
  })

  it('stops at a conflict and finishes at the next activation', async () => {
    const world = aWorld({
      nodeClaim: aNodeClaim({ status: launched }),
      hosts: [aJoinedHost()],
      node: aNode(),
    })
    world.kubernetes.before = (verb, plural) => {
      if (verb !== 'patch' || plural !== 'nodes') return
      world.kubernetes.before = undefined
      world.kubernetes.put(nodes, aNode({ metadata: { annotations: { rival: 'was here' } } }))
    }
    assert.equal((await runNodeClaim(world.deps, await world.view())).why, 'conflict')
    await runNodeClaim(world.deps, await world.view())
    const node = await world.kubernetes.get(nodes, 'workers-abcde')
    assert.deepEqual(
      [node?.metadata.annotations, node?.metadata.labels?.['karpenter.sh/initialized']],
      [{ rival: 'was here' }, 'true'],
    )
  })

  it('drains, then asks for the leave, and keeps Node and finalizer until the host is released', async () => {
    const world = aWorld({
      nodeClaim: aNodeClaim({ status: initialized }),
      hosts: [aJoinedHost()],
      node: aNode({ metadata: { finalizers: ['karpenter.sh/termination'] }, spec: { taints: [] } }),
    })
    world.kubernetes.put(pods, aPod())
    await world.kubernetes.delete(nodeClaims, 'workers-abcde')
    const first = await runNodeClaim(world.deps, await world.view())
    assert.deepEqual([first.steps, first.why], [['update', 'drain'], 'draining'])
    const second = await runNodeClaim(world.deps, await world.view())
    assert.deepEqual([second.steps, second.why], [['drain', 'request-phase'], 'leaving'])
    assert.deepEqual(
      world.sender.sent.map(({ queue }) => queue),
      ['leave'],
    )
    const node = await world.kubernetes.get(nodes, 'workers-abcde')
    assert.deepEqual(node?.spec?.taints, [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }])
    const again = await runNodeClaim(world.deps, await world.view())
    assert.deepEqual([again.steps, world.sender.sent.length], [[], 1])
  })

  it('lets go of the NodeClaim once its host is released and its Node gone', async () => {
    const world = aWorld({
      nodeClaim: aNodeClaim({ status: initialized }),
      hosts: [aHost()],
      node: aNode({ metadata: { finalizers: ['karpenter.sh/termination'] } }),
    })
    await world.kubernetes.delete(nodeClaims, 'workers-abcde')
    const run = await runNodeClaim(world.deps, await world.view({ isBound: true }))
    assert.deepEqual(run.steps, ['delete-node', 'remove-finalizer'])
    assert.equal(world.kubernetes.raw(nodeClaims, 'workers-abcde'), undefined)
    assert.equal(world.kubernetes.raw(nodes, 'workers-abcde'), undefined)
  })

  it('does not delete a NodeClaim of the same name that came after it', async () => {
    const world = aWorld({ nodeClaim: aNodeClaim(), hosts: [] })
    const stale = await world.view()
    world.kubernetes.vanish(nodeClaims, 'workers-abcde')
    world.kubernetes.put(nodeClaims, aNodeClaim({ metadata: { uid: 'uid-2' } }))
    await runNodeClaim(world.deps, stale)
    assert.notEqual(world.kubernetes.raw(nodeClaims, 'workers-abcde'), undefined)
  })
})
