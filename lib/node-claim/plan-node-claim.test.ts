import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, aJoinedHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import {
  aNode,
  aNodeClaim,
  aNodeClass,
  anSSHHost,
  isTrueNow,
} from '../../test/support/builders/kubernetes.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import { planNodeClaim } from './plan-node-claim.ts'

const launched = [isTrueNow('Launched')]
const registered = [...launched, isTrueNow('Registered')]
const initialized = [...registered, isTrueNow('Initialized')]
const providerID = 'kpssh://kpssh-system/h1'

function aView(overrides: Partial<NodeClaimView> = {}): NodeClaimView {
  return {
    nodeClaim: aNodeClaim(),
    host: undefined,
    boundTo: undefined,
    isBound: false,
    sshHost: undefined,
    nodeClass: aNodeClass(),
    classReady: { status: 'True', reason: 'Ready', message: '' },
    wanted: { marker: 'demo@1', vars: 'vars-1' },
    nodes: [],
    candidates: [],
    registrationTimeoutMs: 900_000,
    isHeartbeat: true,
    ...overrides,
  }
}

/** A NodeClaim whose host `h1` it holds, with these conditions. */
function aHeldView(
  conditions: readonly ReturnType<typeof isTrueNow>[],
  overrides: Partial<NodeClaimView> = {},
) {
  const host = overrides.host ?? aClaimedHost()
  return aView({
    nodeClaim: aNodeClaim({ status: { providerID, conditions: [...conditions] } }),
    host,
    boundTo: host,
    isBound: true,
    sshHost: anSSHHost(),
    ...overrides,
  })
}

describe('planNodeClaim, launch', () => {
  it('KS-115: puts the finalizer on a new NodeClaim before anything else', () => {
    const nodeClaim = aNodeClaim({ metadata: { finalizers: [] } })
    assert.deepEqual(planNodeClaim(aView({ nodeClaim }), t0), { kind: 'add-finalizer' })
  })

  it('claims the best candidates in their order', () => {
    const candidates = [aHost({ name: 'h2' }).key, aHost({ name: 'h1' }).key]
    assert.deepEqual(planNodeClaim(aView({ candidates }), t0), { kind: 'claim-host', candidates })
  })

  it('ref 74, KS-116: gives up a NodeClaim for which no host is free', () => {
    const step = planNodeClaim(aView(), t0)
    assert.equal(step.kind === 'delete' && step.reason, 'InsufficientCapacityError')
  })

  it('ref 132, KS-116: gives up a NodeClaim whose class is not Ready', () => {
    const classReady = {
      status: 'False',
      reason: 'NoHosts',
      message: 'No SSHHost matches hostSelector',
    } as const
    const step = planNodeClaim(aView({ classReady, candidates: [aHost().key] }), t0)
    assert.deepEqual(step, {
      kind: 'delete',
      reason: 'NodeClassNotReady',
      message: 'SSHNodeClass is not ready: NoHosts No SSHHost matches hostSelector',
    })
  })

  it('goes on with the bound host after a crash between binding and claim, whatever else is free', () => {
    const view = aView({ isBound: true, boundTo: aHost({ name: 'h7' }), candidates: [aHost().key] })
    assert.deepEqual(planNodeClaim(view, t0), { kind: 'claim-host', candidates: [aHost({ name: 'h7' }).key] })
  })

  it('does not take a second host after the first one failed', () => {
    const failures = {
      count: 1,
      lastReason: 'JoinFailed',
      lastMessage: 'join: exit code 1',
      nodeClaimUid: 'uid-1',
      notBeforeMs: 0,
    }
    const view = aView({
      isBound: true,
      boundTo: aHost({ failures }),
      candidates: [aHost({ name: 'h2' }).key],
    })
    assert.deepEqual(planNodeClaim(view, t0), {
      kind: 'delete',
      reason: 'JoinFailed',
      message: 'join: exit code 1',
    })
  })

  it('is launched with the claim when the providerID is Static', () => {
    const step = planNodeClaim(
      aHeldView([], { nodeClaim: aNodeClaim(), host: aClaimedHost({ arch: 'arm64' }) }),
      t0,
    )
    assert.deepEqual(step.kind === 'update' && [step.status, step.labels, step.conditions], [
      {
        providerID,
        capacity: { cpu: '4', memory: '8Gi', pods: '110' },
        allocatable: { cpu: '3920m', memory: '7892Mi', pods: '110' },
      },
      {
        'node.kubernetes.io/instance-type': 'default',
        'topology.kubernetes.io/zone': 'pool',
        'karpenter.sh/capacity-type': 'on-demand',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'arm64',
        'karpenter.dklesev.github.io/sshnodeclass': 'rack',
      },
      [{ type: 'Launched', status: 'True' }],
    ])
  })

  it('is launched only with the Node that brings the providerID when the class adopts', () => {
    const nodeClass = aNodeClass({ spec: { providerIDSource: 'Adopt' } })
    const nodeClaim = aNodeClaim()
    const joined = aClaimedHost({ claim: aClaim({ joinedAtMs: t0 }) })
    const waiting = planNodeClaim(aHeldView([], { nodeClaim, nodeClass }), t0)
    assert.equal(waiting.kind === 'update' && waiting.conditions[0]?.reason, 'HostClaimed')
    const nodes = [aNode({ spec: { providerID: 'eks-hybrid:///region/cluster/mi-1' } })]
    const adopted = planNodeClaim(aHeldView([], { nodeClaim, nodeClass, host: joined, nodes }), t0)
    assert.equal(adopted.kind === 'update' && adopted.status?.providerID, 'eks-hybrid:///region/cluster/mi-1')
  })

  it('ref 84: does not adopt a Node that has no providerID', () => {
    const nodeClass = aNodeClass({ spec: { providerIDSource: 'Adopt' } })
    const host = aClaimedHost({ claim: aClaim({ joinedAtMs: t0 }) })
    const nodes = [aNode({ spec: { providerID: '' } })]
    const step = planNodeClaim(aHeldView([], { nodeClaim: aNodeClaim(), nodeClass, host, nodes }), t0)
    assert.equal(step.kind === 'update' && step.conditions[0]?.status, 'Unknown')
  })

  it('asks again, on a heartbeat, for a phase that nobody works on', () => {
    const at = (ms: number, isHeartbeat: boolean) =>
      planNodeClaim(aHeldView(launched, { isHeartbeat }), t0 + ms)
    assert.deepEqual(at(60_000, true), {
      kind: 'request-phase',
      phase: 'join',
      host: aHost().key,
      reason: 'Repeat',
    })
    assert.equal(at(59_999, true).kind, 'update')
    assert.equal(at(60_000, false).kind, 'update')
  })

  it('asks for an install when another version, or other vars, were installed', () => {
    const late = t0 + 60_000
    const phaseFor = (host: ReturnType<typeof aClaimedHost>) => {
      const step = planNodeClaim(aHeldView(launched, { host }), late)
      return step.kind === 'request-phase' && step.phase
    }
    assert.equal(phaseFor(aClaimedHost({ installed: 'demo@0' })), 'install')
    assert.equal(phaseFor(aClaimedHost({ installedVars: 'vars-0' })), 'install')
    assert.equal(phaseFor(aClaimedHost()), 'join')
  })

  it('SQS-05: gives up a NodeClaim as soon as its host says that the join failed, before the host has left', () => {
    const failure = { phase: 'join', reason: 'JoinFailed', message: 'exit code 1', blamesHost: true }
    const step = planNodeClaim(
      aHeldView(launched, { host: aClaimedHost({ claim: aClaim({ failure }) }) }),
      t0,
    )
    assert.deepEqual(step, { kind: 'delete', reason: 'JoinFailed', message: 'exit code 1' })
  })
})

describe('planNodeClaim, registration and initialization', () => {
  const host = aJoinedHost()

  it('KS-117: tells the host which Node it became, then registers the Node, then says so', () => {
    const raw = aNode()
    const labeled = aNode({ metadata: { labels: { 'karpenter.sh/registered': 'true' } } })
    const unmatched = aJoinedHost({ nodeName: undefined, state: 'Claimed' })
    assert.deepEqual(planNodeClaim(aHeldView(launched, { host: unmatched, nodes: [raw] }), t0), {
      kind: 'match-node',
      host: host.key,
      providerID,
      nodeName: 'workers-abcde',
    })
    assert.deepEqual(planNodeClaim(aHeldView(launched, { host, nodes: [raw] }), t0), {
      kind: 'register-node',
      nodeName: 'workers-abcde',
    })
    assert.deepEqual(planNodeClaim(aHeldView(launched, { host, nodes: [labeled] }), t0), {
      kind: 'update',
      status: { nodeName: 'workers-abcde' },
      conditions: [{ type: 'Registered', status: 'True' }],
    })
  })

  it('says that several Nodes carry the providerID, and touches none', () => {
    const nodes = [aNode({ name: 'a' }), aNode({ name: 'b' })]
    const step = planNodeClaim(aHeldView(launched, { host, nodes }), t0)
    assert.deepEqual(step.kind === 'update' && step.conditions[0], {
      type: 'Registered',
      status: 'False',
      reason: 'MultipleNodesFound',
      message: 'several Nodes have the providerID of this NodeClaim: a, b',
    })
  })

  const obstacles = [
    ['NodeNotReady', { status: { conditions: [] } }],
    ['StartupTaintsExist', { spec: { taints: [{ key: 'cni', effect: 'NoSchedule' }] } }],
    [
      'KnownEphemeralTaintsExist',
      { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } },
    ],
    ['KnownEphemeralTaintsExist', { spec: { taints: [{ key: 'readiness.k8s.io/x', effect: 'NoExecute' }] } }],
    [
      'ResourceNotRegistered',
      { spec: { taints: [] }, status: { conditions: [isTrueNow('Ready')], allocatable: { gpu: '0' } } },
    ],
  ] as const
  for (const [reason, parts] of obstacles) {
    it(`KS-120, JOIN-27: is not initialized while ${reason}`, () => {
      const nodeClaim = aNodeClaim({
        spec: {
          startupTaints: [{ key: 'cni', effect: 'NoSchedule' }],
          resources: { requests: { gpu: '1' } },
        },
        status: { providerID, nodeName: 'workers-abcde', conditions: registered },
      })
      const node = aNode({
        ...('spec' in parts ? { spec: { taints: [...(parts.spec.taints ?? [])] } } : {}),
        ...('status' in parts
          ? { status: { ...parts.status, conditions: [...parts.status.conditions] } }
          : {}),
      })
      const step = planNodeClaim(aHeldView([], { nodeClaim, host, nodes: [node] }), t0)
      assert.equal(step.kind === 'update' && step.conditions[0]?.reason, reason)
    })
  }

  it('labels the Node, says Initialized, and is settled', () => {
    const taintless = { spec: { taints: [] } }
    const labels = { 'karpenter.sh/initialized': 'true' }
    const fresh = aHeldView(registered, { host, nodes: [aNode(taintless)] })
    const labeled = aHeldView(registered, { host, nodes: [aNode({ ...taintless, metadata: { labels } })] })
    assert.deepEqual(planNodeClaim(fresh, t0), { kind: 'initialize-node', nodeName: 'workers-abcde' })
    assert.deepEqual(planNodeClaim(labeled, t0), {
      kind: 'update',
      conditions: [{ type: 'Initialized', status: 'True' }],
    })
    const done = aHeldView(initialized, { host, nodes: [aNode({ status: { conditions: [] } })] })
    assert.deepEqual(planNodeClaim(done, t0), { kind: 'wait', why: 'settled' })
  })
})

describe('planNodeClaim, liveness', () => {
  it('KS-121, POOL-13: gives up after the registration timeout of the class, counted from the claim', () => {
    const host = aClaimedHost({ claim: aClaim({ joinedAtMs: t0 }) })
    const view = aHeldView(launched, { host, registrationTimeoutMs: 600_000, isHeartbeat: false })
    assert.equal(planNodeClaim(view, t0 + 599_999).kind, 'update')
    assert.deepEqual(planNodeClaim(view, t0 + 600_000), {
      kind: 'delete',
      reason: 'RegistrationTimeout',
      message: 'No Node registered within 600 s of the claim of host "h1"',
    })
  })

  it('POOL-14: does not time out a Node that registered and is slow to become Ready', () => {
    const view = aHeldView(registered, {
      host: aJoinedHost(),
      nodes: [aNode({ status: { conditions: [] } })],
    })
    assert.equal(planNodeClaim(view, t0 + 86_400_000).kind, 'update')
  })

  it('EKS-14: an external deletion of the Node becomes the release of its host', () => {
    const going = aNode({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } })
    for (const nodes of [[], [going]]) {
      const step = planNodeClaim(aHeldView(initialized, { host: aJoinedHost(), nodes }), t0)
      assert.equal(step.kind === 'delete' && step.reason, 'NodeDeleted')
    }
  })

  it('EKS-22: a Node that is NotReady is not given up', () => {
    const nodes = [aNode({ status: { conditions: [] } })]
    assert.deepEqual(planNodeClaim(aHeldView(initialized, { host: aJoinedHost(), nodes }), t0 + 7_200_000), {
      kind: 'wait',
      why: 'settled',
    })
  })

  it('takes the machine out of the cluster when its SSHHost is deleted', () => {
    const sshHost = anSSHHost({ metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' } })
    const view = aHeldView(initialized, { host: aJoinedHost(), sshHost, nodes: [aNode()] })
    const step = planNodeClaim(view, t0)
    assert.equal(step.kind === 'delete' && step.reason, 'HostDeleted')
  })
})

describe('planNodeClaim, termination', () => {
  const deletionTimestamp = '2026-01-01T01:00:00Z'
  const nodes = [aNode()]

  function terminating(
    conditions: readonly ReturnType<typeof isTrueNow>[],
    overrides: Partial<NodeClaimView> & { readonly spec?: { readonly terminationGracePeriod: string } } = {},
  ): NodeClaimView {
    const { spec = {}, ...rest } = overrides
    const nodeClaim = aNodeClaim({
      metadata: { deletionTimestamp },
      spec,
      status: { providerID, nodeName: 'workers-abcde', conditions: [...conditions] },
    })
    return aHeldView([], { host: aJoinedHost(), nodes, nodeClaim, ...rest })
  }

  it('KS-134: writes the deadline of the terminationGracePeriod first', () => {
    const step = planNodeClaim(terminating(initialized, { spec: { terminationGracePeriod: '5m' } }), t0)
    assert.deepEqual(step, {
      kind: 'update',
      annotations: { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-01T01:05:00.000Z' },
      conditions: [],
    })
  })

  it('says Draining, drains, and asks for the leave only when drained', () => {
    const draining = { ...isTrueNow('Drained'), status: 'Unknown', reason: 'Draining' } as const
    const said = planNodeClaim(terminating(initialized), t0)
    assert.equal(said.kind === 'update' && said.conditions[0]?.reason, 'Draining')
    const drain = planNodeClaim(terminating([...initialized, draining]), t0)
    assert.deepEqual(drain, { kind: 'drain', nodeName: 'workers-abcde', forceAtMs: undefined })
    const leave = planNodeClaim(terminating([...initialized, isTrueNow('Drained')]), t0)
    assert.deepEqual(leave, { kind: 'request-phase', phase: 'leave', host: aHost().key, reason: 'Release' })
  })

  it('EKS-12: keeps the Node and the finalizer while the host is leaving', () => {
    const asked = [...initialized, isTrueNow('Drained'), isTrueNow('InstanceTerminating')]
    const step = planNodeClaim(terminating(asked, { isHeartbeat: false }), t0)
    assert.deepEqual(step, { kind: 'wait', why: 'leaving' })
  })

  it('asks again, on a heartbeat, for a leave that nobody works on', () => {
    const asked = [...initialized, isTrueNow('Drained'), isTrueNow('InstanceTerminating')]
    assert.equal(planNodeClaim(terminating(asked), t0 + 60_000).kind, 'request-phase')
    const running = aJoinedHost({ run: aRun({ phase: 'leave' }) })
    assert.equal(planNodeClaim(terminating(asked, { host: running }), t0 + 60_000).kind, 'wait')
  })

  it('KS-132: leaves without draining when no Node ever registered', () => {
    const step = planNodeClaim(terminating(launched, { nodes: [] }), t0)
    assert.equal(step.kind === 'request-phase' && step.phase, 'leave')
  })

  it('releases a host on which no join was started, without a leave', () => {
    const step = planNodeClaim(terminating(launched, { host: aClaimedHost(), nodes: [] }), t0)
    assert.deepEqual(step, { kind: 'release-host', host: aHost().key })
  })

  it('waits for an install that is going on instead of running beside it', () => {
    const host = aClaimedHost({ run: aRun({ phase: 'install' }) })
    assert.equal(planNodeClaim(terminating(launched, { host, nodes: [] }), t0).kind, 'wait')
  })

  it('KS-131: deletes a Node that is left over, then lets go of the NodeClaim', () => {
    const released = { host: undefined, boundTo: aHost(), isBound: true }
    assert.deepEqual(planNodeClaim(terminating(initialized, released), t0), {
      kind: 'delete-node',
      nodeName: 'workers-abcde',
      uid: 'uid-of-workers-abcde',
    })
    assert.deepEqual(planNodeClaim(terminating(initialized, { ...released, nodes: [] }), t0), {
      kind: 'remove-finalizer',
    })
  })

  it('POOL-11: does not touch a host that the successor holds', () => {
    const successor = aJoinedHost({ claim: aClaim({ uid: 'uid-2', nodeClaim: 'workers-zzzzz' }) })
    const view = terminating(initialized, { host: undefined, boundTo: successor, isBound: true, nodes: [] })
    assert.deepEqual(planNodeClaim(view, t0), { kind: 'remove-finalizer' })
  })
})
