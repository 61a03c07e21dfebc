// Each case is put to the schema that the control plane reads with and to the manifest that an API server enforces: both
// must agree.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SSHHostSpec, SSHHostStatus } from '../../lib/api/ssh-host.ts'
import { SSHJoinProfileSpec } from '../../lib/api/ssh-join-profile.ts'
import { SSHNodeClassSpec } from '../../lib/api/ssh-node-class.ts'
import { judgeManifest } from '../../test/support/judge-manifest.ts'

const host = { address: '10.0.0.1', sshKeySecretRef: { name: 'key' }, capacity: { cpu: '4', memory: '8Gi' } }
const nodeClass = { joinProfileRef: { name: 'p' } }
const profile = { scripts: { install: 'i', join: 'j', leave: 'l' } }

const kinds = {
  host: { file: 'sshhosts.yaml', schema: SSHHostSpec, base: host },
  nodeClass: { file: 'sshnodeclasses.yaml', schema: SSHNodeClassSpec, base: nodeClass },
  profile: { file: 'sshjoinprofiles.yaml', schema: SSHJoinProfileSpec, base: profile },
}

/** `says` is part of what the API server says. */
function judging(kind: keyof typeof kinds) {
  const { file, schema, base } = kinds[kind]
  return {
    accepts: (title: string, change: object) => {
      it(title, () => {
        const spec = { ...base, ...change }
        assert.deepEqual(schema.safeParse(spec).error?.issues ?? [], [])
        assert.deepEqual(judgeManifest(file, { spec }).problems, [])
      })
    },
    refuses: (title: string, change: object, says: string) => {
      it(title, () => {
        const spec = { ...base, ...change }
        assert.equal(schema.safeParse(spec).success, false)
        const { problems } = judgeManifest(file, { spec })
        assert.ok(problems.join('\n').includes(says), problems.join('\n'))
      })
    },
  }
}

describe('SSHHost', () => {
  const { accepts, refuses } = judging('host')
  accepts('needs address, key and capacity alone', {})
  refuses('needs an address', { address: undefined }, 'spec.address: Required value')
  refuses('ref 157: refuses port 70000', { port: 70000 }, 'spec.port')
  refuses('ref 157: refuses port -1', { port: -1 }, 'spec.port')
  it('ref 157: takes 22 and root where port and user are absent', () => {
    assert.deepEqual(judgeManifest('sshhosts.yaml', { spec: host }).spec, {
      ...host,
      port: 22,
      user: 'root',
      execMode: 'Raw',
    })
    const { port, user, execMode } = SSHHostSpec.parse(host)
    assert.deepEqual({ port, user, execMode }, { port: 22, user: 'root', execMode: 'Raw' })
  })
  it('ref 158: refuses a change of address', () => {
    const after = { spec: { ...host, address: '10.0.0.2' } }
    const { problems } = judgeManifest('sshhosts.yaml', after, { spec: host })
    assert.deepEqual(problems, ['spec.address: Invalid value: "10.0.0.2": address is immutable'])
  })
  it('refuses another pool, a first one and none any more: the claim of a host is kept by its pool', () => {
    const changes = [
      ['a', 'b'],
      [undefined, 'b'],
      ['a', undefined],
    ]
    for (const [before, after] of changes) {
      const [old, changed] = [before, after].map((pool) => ({
        spec: { ...host, ...(pool !== undefined && { pool }) },
      }))
      const { problems } = judgeManifest('sshhosts.yaml', changed ?? {}, old)
      assert.match(problems.join(), /pool is immutable/)
    }
    const kept = { spec: { ...host, pool: 'a' } }
    assert.deepEqual(judgeManifest('sshhosts.yaml', kept, kept).problems, [])
  })
  refuses('ref 159: refuses capacity without memory', { capacity: { cpu: '4' } }, 'cpu and memory')
  refuses('refuses capacity of zero', { capacity: { cpu: '0', memory: '8Gi' } }, 'more than zero')
  refuses('refuses capacity of the integer zero', { capacity: { cpu: 0, memory: '8Gi' } }, 'more than zero')
  refuses('refuses capacity below zero', { capacity: { cpu: '4', memory: '-1Gi' } }, 'more than zero')
  refuses(
    'refuses capacity that is no quantity',
    { capacity: { cpu: 'four', memory: '8Gi' } },
    'spec.capacity',
  )
  accepts('takes integers for quantities', {
    capacity: { cpu: 4, memory: '8Gi', 'nvidia.com/gpu': 1 },
  })
  for (const address of ['fd00::1', '10.0.0.1', '::1', '2001:db8::8a2e:370:7334']) {
    accepts(`ref 160: takes ${address} for nodeAddress`, { nodeAddress: address })
  }
  for (const address of [
    'host.example.com',
    'abc',
    'cafe.beef',
    '999.999.999.999',
    ':::::',
    '1.2.3.4.5',
    '',
  ]) {
    refuses(`ref 160: refuses ${JSON.stringify(address)} for nodeAddress`, { nodeAddress: address }, 'IP')
  }
  refuses('ref 161: refuses Verified without signers', { execMode: 'Verified' }, 'trustedSigners')
  refuses(
    'ref 161: refuses Verified with no signer in the list',
    { execMode: 'Verified', trustedSigners: [] },
    'trustedSigners',
  )
  accepts('ref 161: takes Verified with one signer', {
    execMode: 'Verified',
    trustedSigners: ['ssh-ed25519 AAAA'],
  })
  const longest = (length: number) => ({ execMode: 'Verified', trustedSigners: ['k'.repeat(length)] })
  accepts('takes a signer as long as any key', longest(4096))
  refuses('refuses a signer that the table could not keep sixteen of', longest(4097), 'trustedSigners')
  refuses('refuses an unknown execMode', { execMode: 'verified' }, 'spec.execMode')
  it('ref 162: refuses the state Banana', () => {
    const { problems } = judgeManifest('sshhosts.yaml', { spec: host, status: { state: 'Banana' } })
    assert.match(problems.join(), /status\.state/)
    assert.equal(SSHHostStatus.safeParse({ state: 'Banana' }).success, false)
  })
  refuses('refuses a reference without a name', { sshKeySecretRef: {} }, 'name must not be empty')
  refuses('refuses a zone that is no label value', { zone: 'rack 1' }, 'spec.zone')
  refuses(
    'refuses a name that no Secret can have',
    { sshKeySecretRef: { name: 'x'.repeat(254) } },
    'spec.sshKeySecretRef.name',
  )
  refuses('refuses a pool that could not be part of a key', { pool: 'rack/1#2' }, 'spec.pool')
  refuses('refuses a pool that a terminal would obey', { pool: '\u001b[2J' }, 'spec.pool')
  accepts('takes a pool and a zone', { pool: 'rack-1', zone: 'r1' })
  it('drops what it does not know, as the API server does', () => {
    assert.equal('color' in SSHHostSpec.parse({ ...host, color: 'red' }), false)
    assert.equal(
      'color' in (judgeManifest('sshhosts.yaml', { spec: { ...host, color: 'red' } }).spec as object),
      false,
    )
  })
})

describe('SSHNodeClass', () => {
  const { accepts, refuses } = judging('nodeClass')
  accepts('needs a profile alone', {})
  refuses('ref 152: refuses a var named bad-name', { vars: { 'bad-name': 'x' } }, 'names of vars')
  accepts('ref 152: takes a var named GOOD_name1', { vars: { GOOD_name1: 'x' } })
  refuses('refuses a var of 2049 characters', { vars: { a: 'x'.repeat(2049) } }, 'spec.vars')
  accepts('takes a var of 2048 characters', { vars: { a: 'x'.repeat(2048) } })
  refuses(
    'refuses 65 vars',
    { vars: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`v${index}`, ''])) },
    'spec.vars',
  )
  refuses('ref 153: refuses the price abc', { pricePerCPUHour: 'abc' }, 'pricePerCPUHour')
  for (const source of ['banana', 'adopt']) {
    refuses(`ref 154: refuses providerIDSource ${source}`, { providerIDSource: source }, 'providerIDSource')
  }
  refuses('ref 155: refuses an empty joinProfileRef', { joinProfileRef: { name: '' } }, 'not be empty')
  refuses('ref 155: refuses an empty joinSecretRef', { joinSecretRef: {} }, 'not be empty')
  refuses('ref 156: refuses http://insecure', { cluster: { endpoint: 'http://insecure' } }, 'endpoint')
  accepts('takes an https endpoint with a bundle', {
    cluster: { endpoint: 'https://cp:6443', caBundle: 'Y2E=' },
  })
  refuses('refuses to reserve a GPU', { kubeReserved: { 'nvidia.com/gpu': '1' } }, 'kubeReserved takes')
  refuses('refuses maxPods 0', { maxPods: 0 }, 'maxPods')
  refuses(
    'refuses a registrationTimeout without a unit',
    { registrationTimeout: '20' },
    'registrationTimeout',
  )
  it('fills in what is not there', () => {
    assert.deepEqual(judgeManifest('sshnodeclasses.yaml', { spec: nodeClass }).spec, {
      ...nodeClass,
      providerIDSource: 'Static',
      pricePerCPUHour: '0.02',
    })
  })

  const podsReady = { namespace: 'kube-system', selector: { matchLabels: { app: 'cni' } } }
  accepts('takes gates on pods and on a condition', {
    startupTaintGates: [
      { taintKey: 'example.com/agent', removeWhen: { podsReady } },
      { taintKey: 'network', removeWhen: { nodeCondition: { type: 'NetworkUnavailable', status: 'False' } } },
    ],
  })
  refuses(
    'refuses a gate that waits for nothing',
    { startupTaintGates: [{ taintKey: 'a', removeWhen: {} }] },
    'exactly one',
  )
  refuses(
    'refuses a gate that waits for two things',
    { startupTaintGates: [{ taintKey: 'a', removeWhen: { podsReady, nodeCondition: { type: 'Ready' } } }] },
    'exactly one',
  )
  refuses(
    'refuses a gate that selects every pod',
    { startupTaintGates: [{ taintKey: 'a', removeWhen: { podsReady: { ...podsReady, selector: {} } } }] },
    'at least one label',
  )
  refuses(
    'refuses two gates on one taint',
    {
      startupTaintGates: [
        { taintKey: 'a', removeWhen: { podsReady } },
        { taintKey: 'a', removeWhen: { podsReady } },
      ],
    },
    'startupTaintGates',
  )
})

describe('SSHJoinProfile', () => {
  const { accepts, refuses } = judging('profile')
  accepts('needs three scripts alone', {})
  refuses(
    'needs a leave script',
    { scripts: { install: '', join: '' } },
    'spec.scripts.leave: Required value',
  )
  refuses('ref 163: refuses the timeout banana', { timeouts: { join: 'banana' } }, 'spec.timeouts.join')
  it('ref 163: keeps 20m as it is', () => {
    const spec = { ...profile, timeouts: { install: '20m' } }
    assert.equal(SSHJoinProfileSpec.parse(spec).timeouts?.install, '20m')
    assert.deepEqual(judgeManifest('sshjoinprofiles.yaml', { spec }).problems, [])
  })
  for (const timeout of ['1.5h', '500ms', '60', '-5m']) {
    refuses(`refuses the timeout ${timeout}`, { timeouts: { leave: timeout } }, 'spec.timeouts.leave')
  }
  refuses(
    'refuses a timeout whose total overflows, and says so',
    { timeouts: { install: '99999999999999h' } },
    'the duration overflows',
  )
  accepts('takes the longest timeout there is', { timeouts: { install: '2562047h47m16s' } })
  refuses('refuses a version with a slash', { version: 'a/b' }, 'spec.version')
  refuses(
    'refuses a script beyond 256 KiB',
    { scripts: { ...profile.scripts, join: 'x'.repeat(262145) } },
    'join',
  )
  it('fills in version and agent units', () => {
    assert.deepEqual(judgeManifest('sshjoinprofiles.yaml', { spec: profile }).spec, {
      ...profile,
      version: '1',
      agentUnits: ['kubelet'],
    })
  })
  accepts('takes declared parameters', {
    parameters: [{ name: 'k8sMinor', meaning: 'Kubernetes minor', pattern: '1\\.[0-9]+' }],
  })
})
