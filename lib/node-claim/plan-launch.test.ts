import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, t0 } from '../../test/support/builders/hosts.ts'
import { aNode, aNodeClaim, aNodeClass } from '../../test/support/builders/kubernetes.ts'
import { aHeldView, aView, launched, providerID } from '../../test/support/builders/node-claim-view.ts'
import { planNodeClaim } from './plan-node-claim.ts'

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
