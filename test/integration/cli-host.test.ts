import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { makeDynamoHostStore } from '../../lib/adapters/dynamodb/host-store.ts'
import { hostKeyText, HostRecord } from '../../lib/hosts/host-record.ts'
import type { HostStore } from '../../lib/hosts/ports.ts'
import { aClaim, aHost, aHostKey, aRun, t0 } from '../support/builders/hosts.ts'
import { fakeLog } from '../support/fakes/log.ts'
import { kpssh } from '../support/run-kpssh.ts'
import { startTestTable, tableName, type TestTable } from '../support/table.ts'

const fingerprint = `SHA256:${'A'.repeat(43)}`
let folder = ''
let table: TestTable
let hosts: HostStore

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kpssh-cli-host-'))
  await mkdir(join(folder, 'below', 'deeper'), { recursive: true })
  table = await startTestTable()
  hosts = makeDynamoHostStore({ client: table.client, tableName, log: fakeLog() })
  await localStack(table.endpoint)
})
after(async () => {
  await table.stop()
  await rm(folder, { recursive: true })
})

async function localStack(endpoint: string): Promise<void> {
  await mkdir(join(folder, '.kpssh'), { recursive: true })
  const local = { endpoint, tableName, region: 'us-east-1', pool: 'lab', cluster: 'lab', queues: {} }
  await writeFile(join(folder, '.kpssh', 'local.json'), JSON.stringify(local))
}

function run(...words: string[]) {
  return kpssh(['host', ...words], { cwd: folder })
}

async function given(...records: readonly HostRecord[]): Promise<void> {
  for (const { key, version } of await hosts.list('lab')) await hosts.remove(key, version)
  for (const record of records) await hosts.create(record)
}

async function recordOf(name: string): Promise<HostRecord> {
  const record = await hosts.get(aHostKey(name))
  assert.ok(record !== undefined)
  return record
}

describe('kpssh host list', () => {
  it('lists the pool of the local stack, from any folder below it', async () => {
    await given(
      aHost({ name: 'host-a', installed: 'demo@1', state: 'InUse', claim: aClaim() }),
      aHost({
        name: 'host-b',
        address: 'fd00::1',
        state: 'Unhealthy',
        quarantine: { reason: 'HostKeyChanged', message: 'm' },
      }),
    )
    const { code, stdout } = await kpssh(['host', 'list'], { cwd: join(folder, 'below', 'deeper') })
    assert.equal(code, 0)
    assert.equal(
      stdout,
      [
        'NAME    STATE      REASON          NODECLAIM      RUN  INSTALLED  ADDRESS            PROBED',
        'host-a  InUse                      workers-abcde       demo@1     root@192.0.2.1:22  never',
        'host-b  Unhealthy  HostKeyChanged                                 root@[fd00::1]:22  never',
        '',
      ].join('\n'),
    )
  })
  it('lists one namespace alone if it is given', async () => {
    const other = aHost({ name: 'host-c' })
    await given(aHost({ name: 'host-a' }), { ...other, key: { ...other.key, namespace: 'edge' } })
    const names = ({ stdout }: { stdout: string }) => HostRecord.array().parse(JSON.parse(stdout))
    const listed = names(await run('list', '--namespace', 'edge', '--json'))
    assert.deepEqual(
      listed.map(({ key }) => hostKeyText(key)),
      ['lab/edge/host-c'],
    )
    assert.equal(names(await run('list', '--json')).length, 2)
    const none = await run('list', '--namespace', 'nowhere')
    assert.deepEqual(none, {
      code: 0,
      stdout: '',
      stderr: 'namespace "nowhere" of pool "lab" has no hosts\n',
    })
  })
  it('gives programs the records', async () => {
    await given(aHost({ name: 'host-a' }))
    const { stdout } = await run('list', '--json')
    assert.deepEqual(HostRecord.array().parse(JSON.parse(stdout)), [aHost({ name: 'host-a' })])
  })
  it('says that a pool is empty on stderr', async () => {
    const empty = await run('list', '--pool', 'other')
    assert.deepEqual(empty, { code: 0, stdout: '', stderr: 'pool "other" has no hosts\n' })
    assert.equal((await run('list', '--pool', 'other', '--json')).stdout, '[]\n')
  })
  it('needs a stack and its pool where no local stack runs', async () => {
    const nowhere = await kpssh(['host', 'list'], { cwd: tmpdir() })
    assert.equal(nowhere.code, 78)
    assert.match(nowhere.stderr, /name a stack or run npm start/)
    const poolless = await kpssh(['host', 'list', '--stack', 'kpssh-prod'], { cwd: tmpdir() })
    assert.equal(poolless.code, 64)
    assert.match(poolless.stderr, /add --pool POOL/)
  })
  it('does not wait for ever for a table that never answers', async () => {
    const sockets = new Set<{ destroy(): void }>()
    const silent = createServer((socket) => void sockets.add(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    assert.ok(typeof address === 'object' && address !== null)
    await localStack(`http://127.0.0.1:${address.port}`)
    try {
      const { code, stderr } = await run('list')
      assert.equal(code, 75, stderr)
      assert.match(stderr, /^Reading the table …\nkpssh: Cannot /)
    } finally {
      await localStack(table.endpoint)
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })
})

describe('kpssh host show', () => {
  it('shows a host by name, with or without namespace', async () => {
    await given(aHost({ name: 'host-a', state: 'InUse', claim: aClaim(), leavePending: true, fence: 7 }))
    const { code, stdout } = await run('show', 'host-a')
    assert.equal(code, 0)
    assert.match(stdout, /^host {10}lab\/kpssh-system\/host-a\nstate {9}InUse\n/)
    assert.match(stdout, /\nclaim {9}workers-abcde \(uid-1\) since [0-9]+d\n/)
    assert.match(stdout, /\nleave owed {4}yes, after 0 attempts\n/)
    assert.equal((await run('show', 'kpssh-system/host-a')).stdout, stdout)
    const json = await run('show', 'host-a', '--json')
    assert.match(json.stdout, /"fence": 7/)
  })
  it('does not know a host that is not there', async () => {
    await given()
    const { code, stderr } = await run('show', 'host-x')
    assert.equal(code, 65)
    assert.equal(
      stderr,
      'kpssh: Cannot find host "lab/kpssh-system/host-x": the table has no such host, kpssh host list names them\n',
    )
    assert.equal((await run('show', 'Host X')).code, 64)
  })
})

describe('kpssh host release', () => {
  const joined = aHost({
    name: 'host-a',
    state: 'InUse',
    claim: aClaim({ joinedAtMs: t0 }),
    leavePending: true,
    installed: 'demo@1',
  })

  it('ends a claim and keeps the leave that is owed', async () => {
    await given(joined)
    const { code, stdout } = await run('release', 'host-a')
    assert.equal(code, 0)
    assert.equal(
      stdout,
      'lab/kpssh-system/host-a is released by NodeClaim workers-abcde (uid-1)\n' +
        'it is Unhealthy: a leave is owed, which the guard repeats until it succeeded\n',
    )
    const after = await recordOf('host-a')
    assert.equal(after.claim, undefined)
    assert.equal(after.leavePending, true)
    assert.equal(after.installed, 'demo@1')
    assert.match((await run('show', 'host-a')).stdout, /\nhistory\n {2}\w+ +/)
  })
  it('gives a host back that never joined', async () => {
    await given(aHost({ name: 'host-a', state: 'Claimed', claim: aClaim() }))
    assert.match((await run('release', 'host-a')).stdout, /it is Available: nothing is owed to it\n$/)
  })
  it('takes the word of an operator who left the host by hand', async () => {
    await given(joined)
    assert.match((await run('release', 'host-a', '--left')).stdout, /nothing is owed to it\n$/)
    assert.equal((await recordOf('host-a')).leavePending, false)
    await given(aHost({ name: 'host-b', state: 'Unhealthy', leavePending: true, leaveAttempts: 3 }))
    assert.equal((await run('release', 'host-b')).code, 65)
    const { stdout } = await run('release', 'host-b', '--left')
    assert.match(
      stdout,
      /^lab\/kpssh-system\/host-b owes no leave any more\nit is Pending: nothing is owed to it\n$/,
    )
  })
  it('waits for a run unless it is told not to', async () => {
    const busy = aHost({ name: 'host-a', state: 'Claimed', claim: aClaim(), leavePending: true, run: aRun() })
    await given(busy)
    const refused = await run('release', 'host-a')
    assert.equal(refused.code, 65)
    assert.match(refused.stderr, /join is going \(run run-1\), wait until it ended or add --force/)
    assert.deepEqual(await recordOf('host-a'), busy)
    const forced = await run('release', 'host-a', '--force')
    assert.equal(forced.code, 0, forced.stderr)
    assert.match(forced.stdout, /join run-1 is not waited for/)
    assert.match(forced.stdout, /a leave is owed/)
    const after = await recordOf('host-a')
    assert.equal(after.run, undefined)
    assert.equal(after.claim, undefined)
  })
  it('has nothing to do for a host that nobody claims', async () => {
    await given(aHost({ name: 'host-a' }))
    const { code, stderr } = await run('release', 'host-a', '--left')
    assert.equal(code, 65)
    assert.match(stderr, /it is Available and nobody claims it, nothing is to be done/)
  })
})

describe('kpssh host repin', () => {
  const quarantined = aHost({
    name: 'host-a',
    state: 'Unhealthy',
    quarantine: { reason: 'HostKeyChanged', message: 'm' },
    hostKeys: [{ fingerprint: `SHA256:${'B'.repeat(43)}` }],
    installed: 'demo@1',
    leavePending: true,
  })
  beforeEach(() => given(quarantined))

  it('SSH-01: takes a fingerprint, lifts the quarantine and forgets what was installed', async () => {
    const { code, stdout } = await run('repin', 'host-a', fingerprint)
    assert.equal(code, 0)
    assert.equal(
      stdout,
      `${hostKeyText(aHostKey('host-a'))} is pinned to ${fingerprint}\nit is Pending until the next probe\n`,
    )
    const after = await recordOf('host-a')
    assert.deepEqual(after.hostKeys, [{ fingerprint }])
    assert.equal(after.quarantine, undefined)
    assert.equal(after.installed, undefined)
    assert.equal(after.leavePending, true)
  })
  it('takes a key line in as many words as the shell makes of it', async () => {
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC8q0aS0YtF9sPnJcJv2b1m9mZ8kQ7aZl0v0oX9dXQ7s'
    assert.equal((await run('repin', 'host-a', ...key.split(' '), 'root@host')).code, 0)
    assert.equal((await recordOf('host-a')).hostKeys[0]?.type, 'ssh-ed25519')
  })
  it('refuses what is no key, and a host that is claimed', async () => {
    const malformed = await run('repin', 'host-a', 'SHA256:short')
    assert.equal(malformed.code, 65)
    assert.match(malformed.stderr, /a fingerprint is malformed/)
    assert.deepEqual(await recordOf('host-a'), quarantined)
    await given(aHost({ name: 'host-a', state: 'InUse', claim: aClaim() }))
    const claimed = await run('repin', 'host-a', fingerprint)
    assert.equal(claimed.code, 65)
    assert.match(claimed.stderr, /it is claimed, delete its NodeClaim or use kpssh host release first/)
    assert.equal((await run('repin', 'host-x', fingerprint)).code, 65)
  })
})
