// What somebody can do who has stolen the key of a host's login: with the real ssh, and with nothing but envelopes.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startEnvelope } from '../../../lib/execution/envelope-v2.ts'
import { aJoin, marker, ran, requireRuns, requireUnable, withManifest } from '../../support/sshd/attempts.ts'
import { aSigner, signedRun } from '../../support/sshd/signer.ts'
import { needsSshd } from '../../support/sshd/ssh-host.ts'
import { aVerifiedHost, manifestSigner, runs, type VerifiedHost } from '../../support/sshd/verified-host.ts'

describe('a stolen login key', { concurrency: 3, ...needsSshd }, () => {
  it('gets the shim, whatever command is asked for', async (test) => {
    const host = await aVerifiedHost(test)
    for (const command of [
      'id',
      'bash -s',
      'sudo -n bash -s',
      'sh -c "touch $KPSSH_ROOT/ran"',
      '/usr/lib/openssh/sftp-server',
    ]) {
      const result = await host.send('touch "$KPSSH_ROOT/ran"; id\n', command)
      assert.deepEqual([result.exitCode, result.stdout], [4, ''], command)
      assert.match(result.stderr, /^kpssh-shim: envelope/m)
    }
    assert.deepEqual(ran(host), [])
  })

  it('sends envelopes and no more: others’ runs can be watched, nothing can be started', async (test) => {
    const host = await aVerifiedHost(test)
    const run = withManifest(host, aJoin('join'))
    await requireRuns(host, run)
    const { report } = await runs.attach(host.target, run, { waitMs: 0 })
    assert.equal(report.kind, 'finished')
    await requireUnable(
      host,
      aJoin('evil', { signed: { manifest: { manifest: 'x\n', signature: 'x' } } }),
      'SignatureRejected',
    )
  })

  it('cannot steer the shim by environment', async (test) => {
    const host = await aVerifiedHost(test)
    const stranger = aSigner(test)
    const theirs = join(host.root, 'their_signers')
    writeFileSync(theirs, `${manifestSigner(stranger)}\n`)
    const { signed, ...run } = signedRun(stranger, aJoin('join'))
    const manifest = signed?.manifest
    assert.ok(manifest !== undefined)
    const input = startEnvelope(marker, run, { manifest, waitMs: 100 })
    const variables = `SetEnv=KPSSH_ALLOWED_SIGNERS=${theirs} BASH_ENV=${theirs} KPSSH_PRINCIPAL=root`
    assert.equal(ssh(host, { options: ['-o', variables], command: ['id'], input }), 2)
    assert.deepEqual(ran(host), [])
  })

  const wishes: readonly [string, Wish, number][] = [
    ['a terminal', { options: ['-tt'], command: ['id'] }, 255],
    ['sftp', { options: ['-s'], command: ['sftp'] }, 255],
    ['a connection through the host', { options: ['-W', '127.0.0.1:22'] }, 255],
    [
      'a port on the host',
      { options: ['-o', 'ExitOnForwardFailure=yes', '-N', '-R', '127.0.0.1:0:127.0.0.1:9'] },
      255,
    ],
  ]
  for (const [what, wish, code] of wishes) {
    it(`does not get ${what}`, async (test) => {
      const host = await aVerifiedHost(test)
      assert.equal(ssh(host, wish), code)
    })
  }
})

interface Wish {
  readonly options?: readonly string[]
  readonly command?: readonly string[]
  readonly input?: Uint8Array
}

/** How the real ssh ends: its exit code, or "stays" where it got what it wanted and would stay connected. */
function ssh(
  host: VerifiedHost,
  { options = [], command = [], input = Buffer.alloc(0) }: Wish,
): number | 'stays' {
  const login = ['-F', 'none', '-i', host.sshd.privateKeyFile, '-p', String(host.sshd.port)]
  const quiet = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'BatchMode=yes'].flatMap(
    (option) => ['-o', option],
  )
  const all = [...login, ...quiet, ...options, `${host.target.user}@127.0.0.1`, ...command]
  const { status } = spawnSync('ssh', all, { input, timeout: 4000 })
  return status ?? 'stays'
}
