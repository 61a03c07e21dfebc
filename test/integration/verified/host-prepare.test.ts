// A fresh machine becomes a Verified host by the script that is printed for it, run on Debian that systemd has booted, with
// its own sshd and sudo; and is then proven from outside, joined through and taken apart.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { RemoteResult, RunRequest, SshTarget } from '../../../lib/execution/ports.ts'
import { makeSshKeyPair } from '../../../infra/local/demo-hosts/ssh-keys.ts'
import { kpssh, type Ended } from '../../support/run-kpssh.ts'
import { aRun } from '../../support/sshd/runs-on.ts'
import { aSigner, signedRun } from '../../support/sshd/signer.ts'
import { runs } from '../../support/sshd/verified-host.ts'
import { lookForNeeds, skippedWhere } from '../../support/systemd-host/needs.ts'
import { makeSystemdHost, type SystemdHost } from '../../support/systemd-host/systemd-host.ts'

const needs = await lookForNeeds()
const shimCommand = '/opt/kpssh/kpssh-shim'

describe('kpssh host prepare', skippedWhere(needs), () => {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-prepare-'))
  const login = makeSshKeyPair()
  const signer = aSigner({ after })
  const stolen = aSigner({ after })
  let host: SystemdHost
  let target: SshTarget

  before(async () => {
    assert.ok(needs.kind === 'met')
    host = await makeSystemdHost({ tree: needs.tree, programs: {} })
    target = {
      ...host.target,
      user: 'kpssh',
      privateKey: { reveal: () => login.privateKey },
      verified: { shimCommand },
    }
    write('admin', host.target.privateKey.reveal())
    write('login', login.privateKey)
    write('login.pub', `${login.publicKey} control-plane\n`)
    write('signers', `${signer.publicKey}\n${stolen.publicKey}\n`)
    write('stolen.pub', `${stolen.publicKey}\n`)
  })
  after(async () => {
    await host.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function write(name: string, text: string): void {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  }

  function prepare(...more: readonly string[]): Promise<Ended> {
    const trust = [
      '--signer',
      'signers',
      '--login-key',
      'login.pub',
      '--from',
      `${host.gateway},192.0.2.0/24`,
    ]
    return kpssh(['host', 'prepare', '--verified', ...trust, ...more], { cwd: folder })
  }

  function prepareThere(...more: readonly string[]): Promise<Ended> {
    const pin = host.target.pins[0]?.fingerprint ?? ''
    const admin = ['--run', `ops@${host.address}`, '--identity', 'admin', '--known-host', pin]
    return prepare(...admin, ...more)
  }

  async function start(request: RunRequest) {
    return (await runs.start(target, request, { waitMs: 20_000 })).report
  }

  it('makes a fresh machine one, over the login of an administrator', async () => {
    const ended = await prepareThere()
    assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`)
    const lines = ended.stdout.trim().split('\n')
    const written = [
      'user kpssh',
      shimCommand,
      '/etc/kpssh/allowed_signers',
      '/etc/kpssh/authorized_keys',
      '/etc/sudoers.d/kpssh',
      '/etc/ssh/sshd_config.d/00-kpssh.conf',
    ]
    assert.deepEqual(
      lines.slice(0, -2),
      written.map((what) => `written    ${what}`),
    )
    assert.match(lines.at(-2) ?? '', /^answers {4}\/opt\/kpssh\/kpssh-shim \(\d+ CPUs\)$/)
  })

  it('changes nothing when it is run again, however it gets there', async () => {
    const ended = await prepareThere()
    assert.equal(ended.code, 0, ended.stderr)
    assert.doesNotMatch(ended.stdout, /^written/m)
    const printed = await prepare()
    const byHand = await host.sudo(`sh <<'END_OF_PREPARATION'\n${printed.stdout}END_OF_PREPARATION\n`)
    assert.equal(byHand.exitCode, 0, byHand.stderr)
    assert.doesNotMatch(byHand.stdout, /^written/m)
  })

  it('leaves a login that can do nothing but let the shim answer', async () => {
    const pin = host.target.pins[0]?.fingerprint ?? ''
    const words = ['--host', `kpssh@${host.address}`, '--identity', 'login', '--known-host', pin]
    const ended = await kpssh(['host', 'check', ...words], { cwd: folder })
    assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`)
    assert.match(ended.stdout, /^the shim reads envelope 2$/m)
  })

  it('leaves nothing that the login could change', async () => {
    const { stdout } =
      await host.sudo(`for path in / /opt /opt/kpssh ${shimCommand} /etc/kpssh /etc/kpssh/* /etc/sudoers.d/kpssh /etc/ssh/sshd_config.d/00-kpssh.conf; do
      stat -c '%U %A %n' "$path"; done; stat -c %a ${shimCommand}; getent passwd kpssh | cut -d: -f6,7; id -Gn kpssh
      ! runuser -u kpssh -- sudo -n true 2>/dev/null && ! runuser -u kpssh -- sudo -n ${shimCommand} version 2>/dev/null && echo 'nothing else'`)
    const lines = stdout.trim().split('\n')
    const files = lines.filter((line) => line.includes(' /'))
    assert.equal(files.length, 9, stdout)
    for (const file of files) assert.match(file, /^root .{5}-..-. /)
    assert.deepEqual(lines.slice(files.length), ['755', '/opt/kpssh:/bin/sh', 'kpssh', 'nothing else'])
  })

  it('runs what was signed, through sudo and out of the reach of the connection, and its environment is clean', async () => {
    const script =
      'id -un\necho "$KPSSH_NODE_NAME ${KPSSH_ROOT-none} ${BASH_ENV-none} ${SUDO_USER-none}"\numask\ncat\n'
    const run = signedRun(signer, aRun(script, { environment: { KPSSH_NODE_NAME: 'n1' } }))
    const report = await start(run)
    assert.ok(report.kind === 'finished', JSON.stringify(report))
    assert.equal(report.outcome.stdoutTail, 'root\nn1 none none kpssh\n0022\n')
    const probed = (await runs.probe(target, { agentUnits: ['ssh.service'] })).report
    assert.ok(probed.kind === 'probed')
    assert.deepEqual([probed.agent, probed.envelope, probed.installation?.fence], ['active', 2, run.fence])
  })

  it('keeps what it knows of serials where root alone reads it, across a reboot', async () => {
    const join = (serial: number) => signedRun(signer, aRun('true\n'), { serial })
    assert.equal((await start(join(7))).kind, 'finished')
    await host.reboot()
    const old = await start(join(6))
    assert.equal(old.kind === 'unable' && old.reason, 'ManifestSerialTooLow')
    const { stdout } = await host.sudo(
      "stat -c '%U %a' /var/lib/kpssh/serials /var/lib/kpssh/serials/demo; cat /var/lib/kpssh/serials/demo",
    )
    assert.equal(stdout, 'root 700\nroot 600\n7\n')
  })

  it('refuses what was signed for envelope 1 until it is told to accept it', async () => {
    const run = aRun('echo first\n')
    const request = { ...run, signed: { signature: signer.sign(run.script, 'kpssh') } }
    const refused = await start(request)
    assert.equal(refused.kind === 'unable' && refused.reason, 'SignatureRejected')
    assert.equal((await prepareThere('--accept-v1')).code, 0)
    const accepted = await start(request)
    assert.equal(accepted.kind === 'finished' && accepted.outcome.stdoutTail, 'first\n')
    assert.match((await prepareThere()).stdout, /^written {4}\/etc\/kpssh\/allowed_signers$/m)
  })

  it('revokes a key, and does not trust it again by leaving the list out', async () => {
    const run = () => signedRun(stolen, aRun('true\n'), { serial: 9 })
    assert.equal((await start(run())).kind, 'finished')
    assert.equal((await prepareThere('--revoked', 'stolen.pub')).code, 0)
    assert.equal((await prepareThere()).code, 0)
    const report = await start(run())
    assert.equal(report.kind === 'unable' && report.reason, 'SignatureRejected')
  })

  it('does not trust a revoked key again when another is revoked', async () => {
    const next = aSigner({ after })
    assert.equal((await prepareThere('--revoked', next.publicKey)).code, 0)
    const report = await start(signedRun(stolen, aRun('true\n'), { serial: 9 }))
    assert.equal(report.kind === 'unable' && report.reason, 'SignatureRejected')
    const { stdout } = await host.sudo('wc -l </etc/kpssh/revoked_keys')
    assert.equal(stdout, '2\n')
    assert.match(
      (await prepareThere('--revoked', next.publicKey)).stdout,
      /^unchanged {2}\/etc\/kpssh\/revoked_keys$/m,
    )
  })

  it('does not take the login of an administrator, and leaves it as it was', async () => {
    const before = await host.sudo('getent shadow ops; cat /etc/sudoers.d/* /etc/ssh/sshd_config.d/*')
    const printed = await prepare('--user', 'ops')
    const logins: readonly (readonly [string, RegExp])[] = [
      ['sh', /you are logged in as ops/],
      ['env -u SUDO_USER sh', /sudo allows ops more than the shim/],
    ]
    for (const [shell, said] of logins) {
      const ended = await host.sudo(`${shell} <<'END_OF_PREPARATION'\n${printed.stdout}END_OF_PREPARATION\n`)
      assert.equal(ended.exitCode, 1)
      assert.match(ended.stderr, said)
    }
    const now = await host.sudo('getent shadow ops; cat /etc/sudoers.d/* /etc/ssh/sshd_config.d/*')
    assert.equal(now.stdout, before.stdout)
  })

  it('says where else the login key is let in', async () => {
    const file = '/home/ops/.ssh/authorized_keys'
    await host.sudo(`cp -p ${file} ${file}.bak; echo '${login.publicKey} of the time before' >>${file}`)
    const ended = await prepareThere()
    await host.sudo(`mv ${file}.bak ${file}`)
    assert.match(
      ended.stdout,
      /^beware {5}\/home\/ops\/\.ssh\/authorized_keys lets the login key in as well/m,
    )
    assert.doesNotMatch((await prepareThere()).stdout, /beware/)
  })

  it('lets the login key in from nowhere else', async () => {
    assert.equal((await prepare('--from', '192.0.2.9')).code, 0)
    const printed = await prepare('--from', '192.0.2.9')
    assert.equal((await host.sudo(printed.stdout)).exitCode, 0)
    await assert.rejects(runs.probe(target, { agentUnits: [] }), { reason: 'AuthFailed' })
    assert.equal((await prepareThere()).code, 0)
    assert.equal((await runs.probe(target, { agentUnits: [] })).report.kind, 'probed')
  })

  const faults: readonly [string, string, string, RegExp][] = [
    [
      'sshd would not accept',
      'echo Nonsense yes >/etc/ssh/sshd_config.d/50-broken.conf',
      'rm /etc/ssh/sshd_config.d/50-broken.conf',
      /sshd does not accept its new configuration/,
    ],
    [
      'another file of sshd allows more',
      'printf "Match User kpssh\\n PermitTTY yes\\n" >/etc/ssh/sshd_config.d/0-before.conf',
      'rm /etc/ssh/sshd_config.d/0-before.conf',
      /sshd has not "permittty no"/,
    ],
    [
      'sudo does not read its folder',
      'sed -i.bak /includedir/d /etc/sudoers; echo "ops ALL=(ALL) NOPASSWD: ALL" >>/etc/sudoers',
      'mv /etc/sudoers.bak /etc/sudoers',
      /sudo does not read/,
    ],
    [
      'sudo allows the login more than the shim',
      'echo "kpssh ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/0-earlier',
      'rm /etc/sudoers.d/0-earlier',
      /sudo allows kpssh more than the shim: \(ALL\) NOPASSWD: ALL/,
    ],
    [
      'somebody else may write where the shim is',
      'chmod o+w /opt/kpssh',
      'chmod o-w /opt/kpssh',
      /\/opt\/kpssh must belong to root/,
    ],
  ]
  for (const [what, breaking, repairing, said] of faults) {
    it(`says what is wrong, and leaves sshd as it was, where ${what}`, async () => {
      const ran: RemoteResult = await host.sudo(breaking)
      assert.equal(ran.exitCode, 0, ran.stderr)
      // Something new, so that it is not taken for done.
      await host.sudo(
        'rm -f /etc/ssh/sshd_config.d/00-kpssh.conf.kpssh-*; echo >>/etc/ssh/sshd_config.d/00-kpssh.conf',
      )
      const ended = await prepareThere()
      const repaired = await host.sudo(repairing)
      assert.deepEqual([ended.code, repaired.exitCode], [70, 0], `${ended.stdout}${ended.stderr}`)
      assert.match(ended.stderr, said)
      assert.equal((await host.sudo('sshd -t')).exitCode, 0)
      assert.equal((await prepareThere()).code, 0)
    })
  }
})
