// Whose a host is: what runs by hand leave that as it is, and what an operator says with kpssh host adopt.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { makeDynamoClusters } from '../../lib/adapters/dynamodb/clusters.ts'
import { makeDynamoHostStore } from '../../lib/adapters/dynamodb/host-store.ts'
import type { HostRecord } from '../../lib/hosts/host-record.ts'
import { aHost } from '../support/builders/hosts.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { kpssh } from '../support/run-kpssh.ts'
import { aRun, someRuns } from '../support/sshd/runs-on.ts'
import { anSshHost, needsSshd, type SshHost } from '../support/sshd/ssh-host.ts'
import { startTestTable, tableName } from '../support/table.ts'

const profile = {
  apiVersion: 'karpenter.dklesev.github.io/v1beta1',
  kind: 'SSHJoinProfile',
  metadata: { name: 'by-hand' },
  spec: { scripts: { install: 'true\n', join: 'true\n', leave: 'true\n' } },
}

interface World {
  readonly host: SshHost
  /** The id of the installation whose table the command finds. */
  readonly ours: string
  readonly run: (...words: string[]) => ReturnType<typeof kpssh>
}

async function aWorld(test: TestContext, more: Partial<HostRecord> = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'kpssh-cli-adopt-'))
  const [host, table] = await Promise.all([anSshHost(test), startTestTable()])
  test.after(async () => {
    await table.stop()
    await rm(folder, { recursive: true })
  })
  const { address, port, user } = host.target
  const hosts = makeDynamoHostStore({ client: table.client, tableName, log: fakeLog() })
  const fence = Math.floor(Date.now() / 1000)
  await hosts.create({ ...aHost({ name: 'host-a', fence, ...more }), address, port, user })
  await mkdir(join(folder, '.kpssh'))
  const local = { endpoint: table.endpoint, tableName, region: 'us-east-1', pool: 'lab' }
  await writeFile(join(folder, '.kpssh', 'local.json'), JSON.stringify(local))
  await writeFile(join(folder, 'profile.json'), JSON.stringify(profile))
  await writeFile(join(folder, 'ctx.json'), '{}')
  const ids = { next: () => 'installation-ours' }
  const ours = await makeDynamoClusters({ client: table.client, tableName, ids }).installation()
  return {
    host,
    ours,
    run: (...words) => kpssh([...words, '--identity', host.sshd.privateKeyFile], { cwd: folder }),
  }
}

function byHand({ host, run }: World, ...words: string[]): ReturnType<typeof kpssh> {
  const { address, port, user } = host.target
  const where = ['--host', `${user}@${address}:${port}`]
  return run(
    'phase',
    'run',
    'install',
    '--profile',
    'profile.json',
    '--context',
    'ctx.json',
    ...where,
    ...words,
  )
}

async function startAs(world: World, installationID: string, fence = Math.floor(Date.now() / 1000) + 1000) {
  const started = await someRuns().start(
    world.host.target,
    aRun('true', { installationID, fence, runId: `as-${installationID}-${fence}` }),
    { waitMs: 10_000 },
  )
  return started.report
}

describe('a run by hand', needsSshd, () => {
  it("leaves a host nobody's, so that the control plane is not refused later", async (test) => {
    const world = await aWorld(test)
    for (let round = 0; round < 2; round++) {
      const { code, stderr } = await byHand(world)
      assert.equal(code, 0, stderr)
    }
    assert.equal((await startAs(world, world.ours)).kind, 'finished')
  })

  it('on a host of an installation is done on its behalf', async (test) => {
    const world = await aWorld(test)
    assert.equal((await startAs(world, world.ours)).kind, 'finished')
    assert.equal((await byHand(world)).code, 0)
    assert.equal((await startAs(world, world.ours, Math.floor(Date.now() / 1000) + 2000)).kind, 'finished')
  })
})

describe('kpssh host adopt', needsSshd, () => {
  it('makes a host of another installation ours', async (test) => {
    const world = await aWorld(test)
    await startAs(world, 'installation-theirs')
    const before = await startAs(world, world.ours, Math.floor(Date.now() / 1000) + 2000)
    assert.equal(before.kind === 'refused' && before.reason, 'ForeignInstallation')
    const { code, stdout, stderr } = await world.run('host', 'adopt', 'host-a')
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout,
      'lab/kpssh-system/host-a belongs to installation installation-ours, before it was installation-theirs\n' +
        'it is Available until the next probe\n',
    )
    assert.equal((await startAs(world, world.ours, Math.floor(Date.now() / 1000) + 10)).kind, 'finished')
    const theirs = await startAs(world, 'installation-theirs', Math.floor(Date.now() / 1000) + 3000)
    assert.equal(theirs.kind === 'refused' && theirs.reason, 'ForeignInstallation')
  })

  it('lets a host go on whose table is decades ahead of its clock', async (test) => {
    const decadesAhead = Math.floor(Date.now() / 1000) + 40 * 365 * 24 * 3600
    const world = await aWorld(test, { fence: decadesAhead })
    const before = await startAs(world, world.ours, decadesAhead + 1)
    assert.equal(before.kind === 'refused' && before.reason, 'FenceAbsurd')
    assert.equal((await world.run('host', 'adopt', 'host-a')).code, 0)
    assert.equal((await startAs(world, world.ours, decadesAhead + 1)).kind, 'finished')
    const further = await startAs(world, world.ours, decadesAhead * 2)
    assert.equal(further.kind === 'refused' && further.reason, 'FenceAbsurd')
  })

  it('spares a host whose agent runs, unless it is told not to', async (test) => {
    const world = await aWorld(test)
    world.host.stub('systemctl', 'echo active')
    const { code, stderr } = await world.run('host', 'adopt', 'host-a')
    assert.equal(code, 65)
    assert.match(stderr, /its agent is active and may be a node of another cluster, stop it or add --force/)
    assert.equal(world.host.read('var/lib/kpssh/started'), '')
    assert.equal((await world.run('host', 'adopt', 'host-a', '--force')).code, 0)
  })

  it('waits for nobody: a run that is going is in the way', async (test) => {
    const world = await aWorld(test)
    await someRuns().start(world.host.target, aRun('sleep 30', { timeoutMs: 3000 }), { waitMs: 500 })
    const { code, stderr } = await world.run('host', 'adopt', 'host-a')
    assert.equal(code, 75)
    assert.match(stderr, /run "run-[0-9]+" is in progress/)
  })

  it('SSH-01: tells nothing to a machine with another key than the pinned one', async (test) => {
    const pinned = { type: 'ssh-ed25519', fingerprint: `SHA256:${'A'.repeat(43)}` }
    const world = await aWorld(test, { hostKeys: [pinned] })
    assert.equal((await world.run('host', 'adopt', 'host-a')).code, 77)
    assert.equal(world.host.read('var/lib/kpssh/started'), '')
    const known = world.host.sshd.hostPublicKeys.ed25519 ?? ''
    assert.equal((await world.run('host', 'adopt', 'host-a', '--known-host', known)).code, 0)
  })

  it('knows no host that the table does not know', async (test) => {
    const world = await aWorld(test)
    assert.equal((await world.run('host', 'adopt', 'host-x')).code, 65)
  })
})
