import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nodeClaims, secrets } from '../kubernetes/resources.ts'
import { t0 } from '../../test/support/builders/hosts.ts'
import { aRunPhase } from '../../test/support/builders/messages.ts'
import { aColdHost, aWarmHost, makePhaseWorld, scripts } from '../../test/support/worlds/phase-world.ts'

const install = aRunPhase({ phase: 'install' })
const join = aRunPhase({ phase: 'join' })

describe('a launch', () => {
  it('ref 70: a fresh host is installed, then joined, and everything about it is recorded', async () => {
    const world = makePhaseWorld()
    await world.deliver(install)
    await world.drain()
    const { executed } = world.machine()
    assert.deepEqual(
      executed.map(({ phase }) => phase),
      ['install', 'join'],
    )
    const record = world.record()
    assert.equal(record.state, 'InUse')
    assert.equal(record.installed, 'demo@1')
    assert.equal(record.claim?.uid, 'uid-1')
    assert.equal(record.claim.joinedAtMs, world.clock.nowMs())
    assert.equal(record.leavePending, true)
    assert.equal(record.run, undefined)
    assert.deepEqual(world.tokens(), [`bootstrap-token-${record.tokenIDs[0] ?? ''}`])
  })

  it('ref 70: join is told the token, the providerID and the taint that comes first', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(join)
    const environment = world.machine().executed[0]?.environment ?? {}
    assert.match(environment.KPSSH_BOOTSTRAP_TOKEN ?? '', /^[0-9a-z]{6}\.[0-9a-z]{16}$/)
    assert.equal(environment.KPSSH_PROVIDER_ID, 'kpssh://kpssh-system/h1')
    assert.equal(environment.KPSSH_TAINTS, 'karpenter.sh/unregistered:NoExecute')
    assert.equal(environment.KPSSH_NODE_NAME, 'workers-abcde')
    assert.equal(environment.KPSSH_NODE_LABELS, 'karpenter.sh/nodepool=workers')
    assert.equal(environment.KPSSH_CLUSTER_ENDPOINT, 'https://api.lab:6443')
  })

  it('ref 71: a host whose marker and vars match is joined only', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(install)
    await world.drain()
    assert.deepEqual(
      world.machine().executed.map(({ phase }) => phase),
      ['join'],
    )
  })

  it('installs first when a join finds other vars or another version than were installed', async () => {
    for (const stale of [{ installed: 'demo@0' }, { installedVars: 'other' }]) {
      const world = makePhaseWorld({ hosts: [aWarmHost(stale)] })
      await world.deliver(join)
      await world.drain()
      assert.deepEqual(
        world.machine().executed.map(({ phase }) => phase),
        ['install', 'join'],
      )
    }
  })

  it('defaults of the profile are vars like any other: scripts see them, and a changed one is installed', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putProfile({ parameters: [{ name: 'k8sMinor' }, { name: 'maxPods', default: '110' }] })
    await world.deliver(join)
    await world.drain()
    assert.deepEqual(
      world.machine().executed.map(({ phase, environment }) => [phase, environment.KPSSH_VAR_maxPods]),
      [
        ['install', '110'],
        ['join', '110'],
      ],
    )
  })

  it('an adopting class leaves the providerID to the host', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost({ providerID: undefined })] })
    world.putNodeClass({ providerIDSource: 'Adopt' })
    await world.deliver(join)
    assert.equal(world.machine().executed[0]?.environment.KPSSH_PROVIDER_ID, '')
    assert.equal(world.record().state, 'Claimed')
  })

  it('JOIN-01: the token is minted after install, right before join, and outlives the join budget', async () => {
    const world = makePhaseWorld()
    world.putProfile({ install: 'sleep 4200', timeouts: { install: '2h', join: '90m' } })
    await world.deliver(install)
    assert.deepEqual(world.tokens(), [])
    await world.drain()
    const [name = ''] = world.tokens()
    const started = world.machine().executed[1]?.startedAtMs ?? 0
    const secret = await world.kubernetes.get(secrets, name, 'kube-system')
    const expiration = Buffer.from(secret?.data?.expiration ?? '', 'base64').toString()
    assert.match(expiration, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.ok(started - t0 >= 4_200_000)
    assert.equal(Date.parse(expiration) - started, 100 * 60_000)
  })

  it('JOIN-02: tokens are never listed, and recorded before they exist', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    let recorded: readonly string[] = []
    world.kubernetes.before = (verb, plural) => {
      if (verb === 'create' && plural === 'secrets') recorded = world.record().tokenIDs
    }
    await world.deliver(join)
    assert.deepEqual(
      recorded.map((id) => `bootstrap-token-${id}`),
      world.tokens(),
    )
    assert.ok(!world.kubernetes.requests.includes('list secrets/'))
  })

  it('SQS-05: a join that exits 0 is not a Node yet: an adopting host is not InUse before its Node is seen', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost({ providerID: undefined })] })
    world.putNodeClass({ providerIDSource: 'Adopt' })
    world.putProfile({ join: 'exit 0' })
    await world.deliver(join)
    assert.equal(world.record().state, 'Claimed')
    assert.equal(world.record().leavePending, true)
  })

  it('stores the leave recipe before anything is joined', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(join)
    const recipe = await world.deps.recipes.get(world.record().leaveRecipe ?? '')
    assert.equal(recipe?.script, scripts.leave)
    assert.equal(recipe.timeoutMs, 180_000)
  })

  it('tells the cluster when the phase ended', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    await world.deliver(join)
    const [told] = world.sender.take('events')
    assert.equal(told?.message.type, 'HostChanged')
    world.sender.assertIdle()
  })
})

describe('a join that must not start', () => {
  it('JOIN-06: executes nothing when another machine has the Node name', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.putNode({ providerID: 'kpssh://kpssh-system/other' })
    const outcome = await world.deliver(join)
    assert.equal(outcome.kind === 'done' && outcome.result, 'not-started')
    assert.deepEqual(world.machine().executed, [])
    const record = world.record()
    assert.equal(record.claim, undefined)
    assert.equal(record.state, 'Available')
    assert.equal(record.failures?.lastReason, 'NodeNameTaken')
    assert.deepEqual(world.tokens(), [])
  })

  it('DDB-09: a host whose clock is off by more than a minute is not joined, and is to blame', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost({ clockSkewMs: -172_800_000 })] })
    await world.deliver(join)
    assert.deepEqual(world.machine().executed, [])
    assert.equal(world.record().state, 'Unhealthy')
    assert.equal(world.record().reason, 'ClockSkew')
    assert.equal(world.record().failures?.count, 1)
  })

  it('DDB-09: a minute of skew is allowed', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost({ clockSkewMs: 60_000 })] })
    await world.deliver(join)
    assert.equal(world.record().state, 'InUse')
  })

  it('ref 73: a configuration error frees the claim and does not blame the host', async () => {
    const broken: readonly [string, (world: ReturnType<typeof makePhaseWorld>) => void][] = [
      ['ProfileNotFound', (world) => world.putNodeClass({ joinProfileRef: { name: 'nobody' } })],
      ['JoinSecretNotFound', (world) => world.putNodeClass({ joinSecretRef: { name: 'nobody' } })],
      ['SSHKeyNotFound', (world) => world.kubernetes.vanish(secrets, 'ssh-key', 'kpssh-system')],
      ['TemplateFailed', (world) => world.putProfile({ join: 'echo "{{ .Vars.absent }}"' })],
      ['ProfileInvalid', (world) => world.putProfile({ leave: 'echo "{{ .Vars.k8sMinor }}"' })],
      [
        'ProfileVarsInvalid',
        (world) => world.putProfile({ parameters: [{ name: 'k8sMinor', pattern: '2' }] }),
      ],
    ]
    for (const [reason, breakIt] of broken) {
      const world = makePhaseWorld({ hosts: [aWarmHost()] })
      breakIt(world)
      await world.deliver(join)
      const record = world.record()
      assert.equal(record.failures?.lastReason, reason)
      assert.equal(record.failures.count, 0)
      assert.equal(record.state, 'Available')
      assert.equal(record.claim, undefined)
      assert.equal(record.leavePending, false)
      assert.deepEqual(world.machine().executed, [])
    }
  })

  it('runs nothing for a NodeClaim that is gone, another one or going', async () => {
    for (const change of [
      { name: 'other' },
      { uid: 'uid-2' },
      { deletionTimestamp: '2026-01-01T00:00:00Z' },
    ]) {
      const world = makePhaseWorld({ hosts: [aColdHost()] })
      world.kubernetes.vanish(nodeClaims, 'workers-abcde')
      world.putNodeClaim(change)
      const outcome = await world.deliver(install)
      assert.equal(outcome.kind, 'dropped')
      assert.deepEqual(world.machine().executed, [])
      assert.equal(world.record().claim?.uid, 'uid-1')
    }
  })

  it('SQS-16: a request past its deadline frees the claim without blaming the host', async () => {
    const world = makePhaseWorld({ hosts: [aWarmHost()] })
    world.clock.advance(1_800_000)
    await world.deliver(join)
    assert.equal(world.record().failures?.lastReason, 'RequestExpired')
    assert.equal(world.record().state, 'Available')
    assert.deepEqual(world.machine().executed, [])
  })
})
