import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeManifest } from '../../test/support/judge-manifest.ts'

const pools = 'karpenter-minimal/nodepools.yaml'
const claims = 'karpenter-minimal/nodeclaims.yaml'
const nodeClassRef = { group: 'karpenter.dklesev.github.io', kind: 'SSHNodeClass', name: 'c' }

function pool(template: object = {}, more: object = {}): object {
  return { spec: { template: { spec: { nodeClassRef, requirements: [], ...template } }, ...more } }
}
function problems(object: object, before?: object): string {
  return judgeManifest(pools, object, before).problems.join('\n')
}
function requirement(item: object): object {
  return pool({ requirements: [{ key: 'example.com/rack', ...item }] })
}

describe('the minimal NodePool definition', () => {
  it('fills in what Karpenter fills in', () => {
    assert.deepEqual(judgeManifest(pools, pool()).spec, {
      template: { spec: { nodeClassRef, requirements: [], expireAfter: '720h' } },
      disruption: {
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '10%' }],
      },
    })
  })

  it('takes a pool with everything in it', () => {
    const template = {
      requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        { key: 'example.com/gen', operator: 'Gt', values: ['3'] },
      ],
      taints: [{ key: 'karpenter.dklesev.github.io/pool', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'example.com/agent', value: 'x', effect: 'NoExecute' }],
      expireAfter: 'Never',
      terminationGracePeriod: '1h30m',
    }
    const disruption = {
      consolidateAfter: '60s',
      consolidationPolicy: 'WhenEmpty',
      budgets: [{ nodes: '0', schedule: '0 9 * * 1-5', duration: '8h', reasons: ['Empty'] }],
    }
    assert.equal(problems(pool(template, { disruption, limits: { cpu: 4, memory: '4Gi' }, weight: 10 })), '')
  })

  it('refuses labels that Karpenter or the kubelet sets', () => {
    const of = (key: string) => problems(requirement({ key, operator: 'Exists' }))
    assert.match(of('karpenter.sh/nodepool'), /set by Karpenter alone/)
    assert.match(of('foo.karpenter.sh/x'), /set by Karpenter alone/)
    assert.match(of('kubernetes.io/hostname'), /set by the kubelet alone/)
    assert.equal(of('karpenter.dklesev.github.io/host-class'), '')
  })

  it('refuses requirements that say nothing', () => {
    assert.match(problems(requirement({ operator: 'In', values: [] })), /at least one value/)
    assert.match(problems(requirement({ operator: 'Gt', values: ['a'] })), /exactly one integer/)
    assert.match(problems(requirement({ operator: 'Is', values: ['a'] })), /operator/)
    assert.match(problems(requirement({ operator: 'In', values: ['a'], minValues: 2 })), /minValues/)
  })

  it('refuses a budget with a schedule and no duration', () => {
    const budgets = [{ nodes: '1', schedule: '@daily' }]
    assert.match(problems(pool({}, { disruption: { consolidateAfter: '0s', budgets } })), /go together/)
  })

  it('lets the name of the node class change, its kind not', () => {
    assert.equal(problems(pool({ nodeClassRef: { ...nodeClassRef, name: 'other' } }), pool()), '')
    assert.match(problems(pool({ nodeClassRef: { ...nodeClassRef, kind: 'Other' } }), pool()), /immutable/)
  })
})

describe('the minimal NodeClaim definition', () => {
  const spec = {
    nodeClassRef,
    requirements: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['p'] }],
    resources: { requests: { cpu: '1', pods: 1 } },
  }

  it('takes a claim that names its pool', () => {
    assert.deepEqual(judgeManifest(claims, { spec }).problems, [])
  })

  it('refuses any change of spec', () => {
    const after = { spec: { ...spec, expireAfter: 'Never' } }
    assert.match(judgeManifest(claims, after, { spec }).problems.join(), /spec is immutable/)
  })

  it('takes conditions without reason and message', () => {
    const condition = { type: 'Launched', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }
    assert.deepEqual(judgeManifest(claims, { spec, status: { conditions: [condition] } }).problems, [])
  })
})
