import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import ssh2 from 'ssh2'
import { z } from 'zod'
import { startDemoHosts, type DemoHosts } from '../../infra/local/demo-hosts/start-demo-hosts.ts'
import { makeSshKeyPair } from '../../infra/local/demo-hosts/ssh-keys.ts'
import { eventually } from '../support/eventually.ts'
import { sshRun } from './demo-hosts/ssh-client.ts'

const Held = z.object({ root: z.string(), pid: z.int() })
const holder = fileURLToPath(new URL('demo-hosts/hold-demo-hosts.ts', import.meta.url))

describe('demo hosts', () => {
  let hosts: DemoHosts
  before(async () => {
    hosts = await startDemoHosts({
      hosts: [
        { name: 'one', cpu: 2, memory: '4Gi' },
        { name: 'two', cpu: 4, memory: '512Mi', user: 'root' },
      ],
    })
  })
  after(() => hosts.close())
  const ssh = (name: string, command: string, input = '') =>
    sshRun(hosts, hosts.host(name), { command, input })
  const console_ = async (command: string): Promise<string> => (await hosts.run('one', command)).stdout.trim()

  describe('over SSH', () => {
    it('run a script from standard input in real bash, with its exit code and both streams', async () => {
      const result = await ssh(
        'one',
        'sudo -n bash -s',
        'echo "$BASH_VERSION" | cut -c1\necho wrong >&2\nexit 7\n',
      )
      assert.deepEqual(result, { exitCode: 7, stdout: '5\n', stderr: 'wrong\n' })
    })

    it('are what they say they are', async () => {
      const facts = 'nproc; grep MemTotal "$KPSSH_ROOT/proc/meminfo"; systemctl is-active kubelet'
      assert.equal((await ssh('one', facts)).stdout, '2\nMemTotal:       4194304 kB\ninactive\n')
      assert.equal((await ssh('two', facts)).stdout, '4\nMemTotal:       524288 kB\ninactive\n')
    })

    it('have a host key of their own, and let nobody else in', async () => {
      const [one, two] = hosts.hosts
      assert.notEqual(one!.hostKey, two!.hostKey)
      assert.match(one!.hostKeyFingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/)
      await assert.rejects(
        sshRun({ privateKey: makeSshKeyPair().privateKey }, one!, { command: 'true' }),
        /authentication/,
      )
    })

    it('go on with what a session started when the connection dies', async () => {
      const { address, port, user, root } = hosts.host('one')
      const client = new ssh2.Client()
      client.connect({ host: address, port, username: user, privateKey: hosts.privateKey })
      await once(client, 'ready')
      client.exec('echo begun; sleep 0.5; echo ended > "$KPSSH_ROOT/tmp/ended"', (_error, channel) => {
        channel.on('data', () => client.destroy())
      })
      await once(client, 'close')
      await eventually(() => readFile(`${root}/tmp/ended`, 'utf8').catch(() => undefined))
    })
  })

  describe('systemctl', () => {
    const unit = (name: string, command: string, more = ''): Promise<string> =>
      console_(
        `cat > "$KPSSH_ROOT/etc/systemd/system/${name}.service" <<< $'[Service]\\nExecStart=${command}\\n${more}'`,
      )

    it('starts, stops, enables and disables units', async () => {
      await unit('a', '/bin/sleep 1000')
      assert.equal(await console_('systemctl is-active a; systemctl is-enabled a'), 'inactive\ndisabled')
      assert.equal(
        await console_('systemctl enable --now a && systemctl is-active a && systemctl is-enabled a'),
        'active\nenabled',
      )
      assert.match(
        await console_('systemctl cat a; systemctl show -p ActiveState,UnitFileState a'),
        /sleep 1000[\s\S]*ActiveState=active\nUnitFileState=enabled/,
      )
      assert.equal(await console_('systemctl restart a && systemctl is-active --quiet a && echo yes'), 'yes')
      assert.equal(
        await console_('systemctl disable --now a; systemctl is-active a; systemctl is-enabled a'),
        'inactive\ndisabled',
      )
    })

    it('answers for several units at once, and for unknown ones', async () => {
      await unit('b', '/bin/sleep 1000')
      await console_('systemctl start b')
      const { stdout, exitCode } = await hosts.run('one', 'systemctl is-active nothing b')
      assert.deepEqual([stdout, exitCode], ['inactive\nactive\n', 0])
      assert.equal((await hosts.run('one', 'systemctl is-active nothing')).exitCode, 3)
      assert.equal((await hosts.run('one', 'systemctl start nothing')).exitCode, 5)
      assert.equal(await console_('systemctl is-enabled nothing'), 'not-found')
      await console_('systemctl stop b')
    })

    it('starts no masked unit', async () => {
      await console_('systemctl mask c')
      const { exitCode, stderr } = await hosts.run('one', 'systemctl enable --now c')
      assert.deepEqual([exitCode, stderr.includes('masked')], [1, true])
      assert.equal(
        await console_('systemctl is-enabled c; systemctl unmask c; systemctl is-enabled c'),
        'masked\nnot-found',
      )
    })

    it('tells a unit that failed from one that is tried again', async () => {
      await unit('fails', '/bin/false')
      await unit('tries', '/bin/false', 'Restart=always\\nRestartSec=100')
      await console_('systemctl start fails tries')
      await eventually(async () => (await console_('systemctl is-active fails')) === 'failed')
      await eventually(async () => (await console_('systemctl is-active tries')) === 'activating')
      await console_('systemctl stop tries')
    })

    it('runs nothing in a unit file by a shell', async () => {
      await unit('odd', '/bin/echo $(touch $KPSSH_ROOT/tmp/pwned) `id`')
      await console_('systemctl start odd')
      await eventually(async () => (await console_('journalctl -u odd')).includes('`id`'))
      await assert.rejects(access(`${hosts.host('one').root}/tmp/pwned`))
    })
  })

  describe('power', () => {
    const bootID = (): Promise<string> => console_('cat "$KPSSH_ROOT/proc/sys/kernel/random/boot_id"')

    it('ends everything at a reboot, wipes what is volatile and starts what is enabled', async () => {
      const before = await bootID()
      await console_(
        "cat > $KPSSH_ROOT/etc/systemd/system/up.service <<< $'[Service]\\nExecStart=/bin/sleep 1000'; systemctl enable up",
      )
      await console_(
        'cp $KPSSH_ROOT/etc/systemd/system/up.service $KPSSH_ROOT/etc/systemd/system/down.service; systemctl start down',
      )
      await console_('echo x > $KPSSH_ROOT/run/volatile; echo x > $KPSSH_ROOT/var/lib/kept')
      const detached = Number(await console_('setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo $!'))
      await hosts.reboot('one')
      assert.equal(await isRunning(detached), false)
      assert.notEqual(await bootID(), before)
      assert.equal(
        await console_('ls $KPSSH_ROOT/run/volatile $KPSSH_ROOT/var/lib/kept 2>/dev/null | sed s,.*/,,'),
        'kept',
      )
      assert.equal(await console_('systemctl is-active up down'), 'active\ninactive')
      assert.equal((await ssh('one', 'echo back')).stdout, 'back\n')
      await console_('systemctl disable --now up')
    })

    it('answers nothing while it is off, and keeps its port', async () => {
      const { port } = hosts.host('two')
      await hosts.powerOff('two')
      await assert.rejects(ssh('two', 'true'), { code: 'ECONNREFUSED' })
      await hosts.powerOn('two')
      assert.equal(hosts.host('two').port, port)
      assert.equal((await ssh('two', 'echo on')).stdout, 'on\n')
    })

    it('cuts the connections of a host that loses it', async () => {
      const running = ssh('two', 'sleep 1000')
      const socket = connect(hosts.host('two').port, '127.0.0.1')
      await once(socket, 'data')
      const closed = Promise.all([once(socket, 'close'), running.catch(() => undefined)])
      await hosts.powerOff('two')
      await closed
      await hosts.powerOn('two')
    })
  })

  it('leave nothing behind, also when the process that started them is killed', async () => {
    const child = spawn(process.execPath, [holder], { stdio: ['ignore', 'pipe', 'inherit'] })
    const said = await once(child.stdout, 'data')
    const { root, pid } = Held.parse(JSON.parse(String(said[0])))
    assert.equal(await isRunning(pid), true)
    child.kill('SIGKILL')
    await eventually(async () => !(await isRunning(pid)), 'the unit of the host to end')
    await eventually(
      () =>
        access(root).then(
          () => false,
          () => true,
        ),
      'the directory to be removed',
    )
  })
})

/** A process that ended but that nobody has waited for yet does not run. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) [^ZX] /.test(status)
}
