import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildEnvironment } from './environment.ts'
import { JoinContext, makeJoinContext, makeLeaveContext, type JoinFacts } from './join-context.ts'

const facts: JoinFacts = {
  host: { address: '10.0.0.11', nodeAddress: '10.0.0.12' },
  cluster: { endpoint: 'https://10.0.0.1:6443', caBundle: 'Q0E=' },
  bootstrapToken: 'abcdef.0123456789abcdef',
  nodeName: 'pool-x7k2p',
  providerID: 'kpssh://kpssh-system/host-a',
  labels: { 'karpenter.sh/nodepool': 'pool', team: 'ml' },
  taints: [
    { key: 'kpssh/pool', effect: 'NoSchedule' },
    { key: 'team', value: 'ml', effect: 'NoExecute' },
  ],
  vars: { k8sMinor: '1.34', clusterDNS: '10.96.0.10' },
  secrets: { 'activation-id': 'id-1', 'activation.code': 'code-1' },
}

function facing(overrides: Partial<JoinFacts> = {}): JoinContext {
  return makeJoinContext({ ...facts, ...overrides })
}

describe('buildEnvironment', () => {
  it('ref 58: gives a join everything, var keys as they are and secret keys upper-cased', () => {
    assert.deepEqual(buildEnvironment('join', facing()), {
      KPSSH_CLUSTER_ENDPOINT: 'https://10.0.0.1:6443',
      KPSSH_CLUSTER_CA_B64: 'Q0E=',
      KPSSH_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
      KPSSH_NODE_NAME: 'pool-x7k2p',
      KPSSH_PROVIDER_ID: 'kpssh://kpssh-system/host-a',
      KPSSH_NODE_LABELS: 'karpenter.sh/nodepool=pool,team=ml',
      KPSSH_TAINTS: 'karpenter.sh/unregistered:NoExecute,kpssh/pool:NoSchedule,team=ml:NoExecute',
      KPSSH_HOST_ADDRESS: '10.0.0.11',
      KPSSH_NODE_ADDRESS: '10.0.0.12',
      KPSSH_VAR_k8sMinor: '1.34',
      KPSSH_VAR_clusterDNS: '10.96.0.10',
      KPSSH_SECRET_ACTIVATION_ID: 'id-1',
      KPSSH_SECRET_ACTIVATION_CODE: 'code-1',
    })
  })
  it('gives an install the same with an empty token', () => {
    assert.deepEqual(buildEnvironment('install', facing()), {
      ...buildEnvironment('join', facing()),
      KPSSH_BOOTSTRAP_TOKEN: '',
    })
  })
  for (const phase of ['leave', 'uninstall'] as const) {
    it(`gives ${phase} the two addresses, the other fixed names empty and nothing else`, () => {
      const expected = {
        KPSSH_CLUSTER_ENDPOINT: '',
        KPSSH_CLUSTER_CA_B64: '',
        KPSSH_BOOTSTRAP_TOKEN: '',
        KPSSH_NODE_NAME: '',
        KPSSH_PROVIDER_ID: '',
        KPSSH_NODE_LABELS: '',
        KPSSH_TAINTS: '',
        KPSSH_HOST_ADDRESS: '10.0.0.11',
        KPSSH_NODE_ADDRESS: '10.0.0.12',
      }
      assert.deepEqual(buildEnvironment(phase, facing()), expected)
      assert.deepEqual(buildEnvironment(phase, makeLeaveContext(facts.host)), expected)
    })
  }
  it('keeps the nine fixed names when nothing is known', () => {
    const environment = buildEnvironment('join', JoinContext.parse({}))
    assert.equal(Object.keys(environment).length, 9)
    assert.ok(Object.values(environment).every((value) => value === ''))
  })
  it('ref 59: refuses two secret keys that become one name and names both', () => {
    for (const [one, other] of [
      ['a-b', 'a.b'],
      ['FOO', 'foo'],
    ] as const) {
      assert.throws(
        () => buildEnvironment('join', facing({ secrets: { [one]: '1', [other]: '2' } })),
        (error: Error & { reason?: string }) =>
          error.reason === 'SecretKeyCollision' &&
          error.message.includes(`"${one}"`) &&
          error.message.includes(`"${other}"`),
      )
    }
    assert.doesNotThrow(() => buildEnvironment('leave', facing({ secrets: { foo: '1', FOO: '2' } })))
  })
  it('ref 9: refuses names that no shell can export', () => {
    for (const key of ['a b', 'a;b', 'a-b', 'a.b', '$(x)', 'x=y', 'é', "'"]) {
      assert.throws(() => buildEnvironment('join', facing({ vars: { [key]: 'x' } })), {
        reason: 'EnvironmentInvalid',
      })
    }
  })
  it('refuses values that no environment can carry', () => {
    for (const value of ['a\0b', 'a\ud800']) {
      assert.throws(() => buildEnvironment('join', facing({ vars: { a: value } })), {
        reason: 'EnvironmentInvalid',
      })
    }
    assert.equal(buildEnvironment('join', facing({ vars: { a: 'b\nc\t' } }))['KPSSH_VAR_a'], 'b\nc\t')
  })
  it('SSH-37: refuses what is too long for any command to be started with', () => {
    const fits = 'x'.repeat(131_072 - 'KPSSH_SECRET_A='.length - 1)
    assert.equal(buildEnvironment('join', facing({ secrets: { a: fits } }))['KPSSH_SECRET_A'], fits)
    assert.throws(() => buildEnvironment('join', facing({ secrets: { a: `${fits}x` } })), {
      reason: 'EnvironmentInvalid',
      message: /it takes 131073 bytes/,
    })
  })
})

describe('makeJoinContext', () => {
  it('takes the address of the host for a Node without one', () => {
    const context = facing({ host: { address: 'host-a.example' } })
    assert.equal(context.NodeAddress, 'host-a.example')
    assert.equal(makeLeaveContext({ address: '::1' }).NodeAddress, '::1')
  })
  it('leaves the providerID empty where the host brings its own', () => {
    const adopted = makeJoinContext({ host: facts.host, nodeName: 'n', labels: {}, taints: [] })
    assert.equal(adopted.ProviderID, '')
  })
  it('writes the CA bundle on one line', () => {
    assert.equal(
      facing({ cluster: { endpoint: 'https://x', caBundle: 'QUJD\nREVG\n' } }).ClusterCACert,
      'QUJDREVG',
    )
    assert.equal(facing({ cluster: { endpoint: 'https://x' } }).ClusterCACert, '')
    assert.throws(() => facing({ cluster: { endpoint: 'https://x', caBundle: '-----BEGIN' } }), {
      reason: 'CABundleInvalid',
    })
  })
  it('refuses taints that the kubelet would read as others', () => {
    for (const taint of [
      { key: 'a,b' },
      { key: 'a', value: 'x,y:NoExecute' },
      { key: 'a', value: 'x y' },
      { key: '' },
    ]) {
      assert.throws(() => facing({ taints: [{ ...taint, effect: 'NoSchedule' }] }), {
        reason: 'TaintInvalid',
      })
    }
  })
  it('ref 81: names the unregistered taint first and once', () => {
    assert.equal(facing({ taints: [] }).RegisterWithTaints, 'karpenter.sh/unregistered:NoExecute')
    assert.equal(
      facing({
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
        ],
      }).RegisterWithTaints,
      'karpenter.sh/unregistered:NoExecute,a:NoSchedule',
    )
  })
  it('JOIN-04: leaves out labels that would make the kubelet exit', () => {
    const labels = {
      'node-role.kubernetes.io/worker': '',
      'kubernetes.io/role': 'x',
      'node.kubernetes.io/foo': 'ok',
      'kubelet.kubernetes.io/a': 'b',
      'topology.kubernetes.io/zone': 'z',
      'example.com/a': '',
      long: 'x'.repeat(64),
      '': 'empty-key',
      'a=b': 'c',
      'app.k8s.io/x': 'y',
      'a,b': 'c',
      value: 'c,d=e',
    }
    assert.equal(
      facing({ labels }).NodeLabels,
      'example.com/a=,kubelet.kubernetes.io/a=b,node.kubernetes.io/foo=ok,topology.kubernetes.io/zone=z',
    )
  })
})
