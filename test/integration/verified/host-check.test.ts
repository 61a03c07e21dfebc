import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { kpssh, type Ended } from '../../support/run-kpssh.ts'
import { anSshHost, needsSshd, type SshHost } from '../../support/sshd/ssh-host.ts'
import { aVerifiedHost } from '../../support/sshd/verified-host.ts'

function check(host: SshHost, shim: string): Promise<Ended> {
  const at = `${host.target.user}@127.0.0.1:${String(host.target.port)}`
  return kpssh(['host', 'check', '--host', at, '--identity', host.sshd.privateKeyFile, '--shim', shim])
}

/** What was tried, by whether it was held. */
function rows({ stdout }: Ended): ReadonlyMap<string, string> {
  const lines = stdout.split('\n').slice(3, -1)
  return new Map(
    lines.map((line) => {
      const [, what = '', held = '', tried = '', happened = ''] =
        /^(.*?) {2,}(yes|NO) +(.*?)(?: {2,}(.*))?$/.exec(line) ?? []
      return [what === 'environment' ? tried : what, `${held} ${happened}`.trim()]
    }),
  )
}

describe('kpssh host check', { concurrency: 2, ...needsSshd }, () => {
  it('shows for a Verified host that nothing but the shim answers', async (test) => {
    const host = await aVerifiedHost(test)
    const ended = await check(host, host.target.verified.shimCommand)
    assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`)
    assert.match(ended.stdout, /^the shim reads envelope 2\n\nWHAT +HELD +TRIED +HAPPENED\n/)
    const found = rows(ended)
    const names = [
      'shell',
      'command',
      'command as root',
      'script',
      'unsigned script',
      'sftp',
      'scp',
      'terminal',
      'connection',
      'port',
      'socket',
      'agent',
      'X11',
    ]
    const variables = ['KPSSH_ALLOWED_SIGNERS', 'BASH_ENV', 'LD_PRELOAD', 'LANG'].map(
      (name) => `ssh -o SetEnv=${name}=...`,
    )
    assert.deepEqual([...found.keys()], [...names, ...variables])
    for (const [name, held] of found) assert.match(held, /^yes (the shim: |refused: )/, name)
    assert.deepEqual(host.list('var/lib'), [])
  })

  it('says of a Raw host what a stolen key can do there, and fails', async (test) => {
    const host = await anSshHost(test, {
      config: ['AcceptEnv LANG', 'Subsystem sftp internal-sftp', 'X11Forwarding no'],
    })
    const shim = join(host.root, 'shim')
    writeFileSync(shim, readFileSync(new URL('../../../infra/host/kpssh-shim', import.meta.url)), {
      mode: 0o755,
    })
    const ended = await check(host, shim)
    assert.equal(ended.code, 77, `${ended.stdout}${ended.stderr}`)
    assert.match(ended.stderr, /Cannot call ".*" Verified: its login can do more than let the shim answer/)
    const found = rows(ended)
    for (const name of ['shell', 'command', 'script']) assert.equal(found.get(name), 'NO IT RAN', name)
    for (const name of ['terminal', 'connection', 'port', 'socket', 'agent']) {
      assert.equal(found.get(name), 'NO GRANTED', name)
    }
    assert.match(found.get('sftp') ?? '', /^NO SOMETHING ELSE ANSWERED/)
    assert.match(found.get('scp') ?? '', /^NO SOMETHING ELSE ANSWERED/)
    assert.equal(found.get('ssh -o SetEnv=LANG=...'), 'NO GRANTED')
    assert.match(found.get('ssh -o SetEnv=BASH_ENV=...') ?? '', /^yes refused/)
    assert.match(found.get('X11') ?? '', /^yes refused/)
  })

  const holes: readonly [string, string, string][] = [
    ['a terminal', 'PermitTTY yes', 'terminal'],
    ['a variable', 'AcceptEnv LANG', 'ssh -o SetEnv=LANG=...'],
    ['forwarding', 'AllowTcpForwarding yes', 'connection'],
  ]
  for (const [what, line, row] of holes) {
    it(`finds the one thing that was forgotten: ${what}`, async (test) => {
      const host = await anSshHost(test, {
        config: [
          'ForceCommand exec "$KPSSH_ROOT/shim"',
          line,
          ...(line.startsWith('AllowTcp') ? ['AllowStreamLocalForwarding no'] : ['DisableForwarding yes']),
          ...(line.startsWith('PermitTTY') ? [] : ['PermitTTY no']),
        ],
        ...(process.getuid?.() === 0 ? {} : { environment: { KPSSH_SHIM_SUDO: '0' } }),
      })
      const shim = join(host.root, 'shim')
      writeFileSync(shim, readFileSync(new URL('../../../infra/host/kpssh-shim', import.meta.url)), {
        mode: 0o755,
      })
      const ended = await check(host, shim)
      assert.equal(ended.code, 77)
      assert.equal(rows(ended).get(row), 'NO GRANTED', ended.stdout)
      assert.match(rows(ended).get('shell') ?? '', /^yes/)
    })
  }

  it('does not call a host Verified whose shim is missing', async (test) => {
    const host = await anSshHost(test)
    const ended = await check(host, '/nonexistent/shim')
    assert.equal(ended.code, 75)
    assert.match(ended.stderr, /there is no such shim/)
  })
})
