import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aClaim, aClaimedHost, aHost, aJoinedHost, aRun, t0 } from '../../test/support/builders/hosts.ts'
import { aNode, aNodeClaim, anSSHHost, isTrueNow } from '../../test/support/builders/kubernetes.ts'
import {
  aHeldView,
  initialized,
  launched,
  providerID,
  registered,
} from '../../test/support/builders/node-claim-view.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { NodeClaimView } from './node-claim-view.ts'
import { planNodeClaim } from './plan-node-claim.ts'

describe('planNodeClaim, liveness', () => {
  it('KS-121, POOL-13: gives up after the registration timeout of the class, counted from the claim', () => {
    const host = aClaimedHost({ run: aRun() })
    const view = aHeldView(launched, { host, registrationTimeoutMs: 600_000, isHeartbeat: false })
    assert.equal(planNodeClaim(view, t0 + 599_999).kind, 'update')
    assert.deepEqual(planNodeClaim(view, t0 + 600_000), {
      kind: 'delete',
      reason: 'RegistrationTimeout',
      message: 'No Node registered within 600 s of the claim of host "h1"',
    })
  })

  it('SQS-05: blames a host that joined and shows no Node, before its NodeClaim is given up for it', () => {
    const host = aClaimedHost({ claim: aClaim({ joinedAtMs: t0 }) })
    const cause = { reason: 'RegistrationTimeout', message: 'No Node registered' }
    const step = planNodeClaim(aHeldView(launched, { host, registrationTimeoutMs: 600_000 }), t0 + 600_000)
    assert.equal(step.kind === 'fail-claim' && step.reason, 'RegistrationTimeout')
    const failure = { phase: 'join', ...cause, blamesHost: true }
    const blamed = aClaimedHost({ claim: aClaim({ joinedAtMs: t0, failure }) })
    assert.deepEqual(planNodeClaim(aHeldView(launched, { host: blamed }), t0 + 600_000), {
      kind: 'delete',
      ...cause,
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
    const sshHosts = new Map([['lab/kpssh-system/h1', sshHost]])
    const view = aHeldView(initialized, { host: aJoinedHost(), sshHosts, nodes: [aNode()] })
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

  it('waits for a look at a host whose record was rebuilt, and not for ever', () => {
    const rebuilt = aJoinedHost({ takenIn: false })
    const step = (host: HostRecord) => planNodeClaim(terminating(launched, { host, nodes: [] }), t0).kind
    assert.equal(step(rebuilt), 'wait')
    assert.equal(
      step({ ...rebuilt, probedAtMs: t0, probeError: 'ConnectTimeout: no answer' }),
      'request-phase',
    )
    assert.equal(step({ ...rebuilt, probedAtMs: t0, takenIn: true, leavePending: false }), 'release-host')
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
    for (const nodes of [[], [aNode({ name: 'workers-zzzzz' })]]) {
      const view = terminating(initialized, { host: undefined, boundTo: successor, isBound: true, nodes })
      assert.deepEqual(planNodeClaim(view, t0), { kind: 'remove-finalizer' })
    }
  })

  it('POOL-11: does not delete a Node that another NodeClaim owns, if nobody knows its own host any more', () => {
    const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'workers-zzzzz', uid: 'uid-2' }
    const nodes = [aNode({ metadata: { ownerReferences: [owner] } })]
    const view = terminating(initialized, { host: undefined, boundTo: undefined, isBound: false, nodes })
    assert.deepEqual(planNodeClaim(view, t0), { kind: 'remove-finalizer' })
  })
})
