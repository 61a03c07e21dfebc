// What somebody can do who owns the control plane, against a real host whose shim has its own real bytes. Each test is one
// attack; nothing that no offline key allowed may run.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startEnvelope } from '../../../lib/execution/envelope-v2.ts'
import { runEnvelopeV1 } from '../../../lib/execution/envelope-v1.ts'
import type { SignedScript } from '../../../lib/execution/ports.ts'
import { eventually } from '../../support/eventually.ts'
import {
  aJoin,
  claiming,
  dayMs,
  marker,
  marking,
  ran,
  requireRuns,
  requireUnable,
  start,
  withManifest,
} from '../../support/sshd/attempts.ts'
import { aCommand, aRun, aShell } from '../../support/sshd/runs-on.ts'
import { needsSshd } from '../../support/sshd/ssh-host.ts'
import { aVerifiedHost, runs } from '../../support/sshd/verified-host.ts'

describe('a compromised controller', { concurrency: 3, ...needsSshd }, () => {
  it('SSH-39: cannot replay an old join once a newer one has run', async (test) => {
    const host = await aVerifiedHost(test)
    const old = withManifest(host, aJoin('old'), { serial: 6 })
    await requireRuns(host, withManifest(host, aJoin('new'), { serial: 7 }))
    await requireUnable(host, claiming(old, {}), 'ManifestSerialTooLow')
    host.reboot()
    await requireUnable(host, claiming(old, {}), 'ManifestSerialTooLow')
    await requireRuns(host, withManifest(host, aJoin('same'), { serial: 7 }))
    assert.equal(host.read('var/lib/kpssh/serials/demo'), '7\n')
  })

  it('SSH-39: cannot send what was signed for one phase as another', async (test) => {
    const host = await aVerifiedHost(test)
    const uninstall = withManifest(host, aJoin('uninstall', { phase: 'uninstall' }))
    for (const phase of ['join', 'install', 'leave'] as const) {
      await requireUnable(host, claiming(uninstall, { phase }), 'ManifestPhaseMismatch')
    }
  })

  it('cannot edit one byte of the script, of the manifest or of the signature', async (test) => {
    const host = await aVerifiedHost(test)
    const signed = withManifest(host, aJoin('join'))
    const manifest = signed.signed?.manifest
    assert.ok(manifest !== undefined)
    await requireUnable(host, claiming(signed, { script: `${signed.script} ` }), 'ManifestDigestMismatch')
    await requireUnable(
      host,
      claiming(signed, { script: signed.script.replace('>>', '> ') }),
      'ManifestDigestMismatch',
    )
    const raised = manifest.manifest.replace('serial: 1', 'serial: 2')
    const forged: SignedScript = { manifest: { ...manifest, manifest: raised } }
    await requireUnable(host, claiming(signed, { signed: forged }), 'SignatureRejected')
    const at = manifest.signature.length >> 1
    const letter = manifest.signature[at] === 'A' ? 'B' : 'A'
    const signature = manifest.signature.slice(0, at) + letter + manifest.signature.slice(at + 1)
    const bent: SignedScript = { manifest: { ...manifest, signature } }
    await requireUnable(host, claiming(signed, { signed: bent }), 'SignatureRejected')
  })

  it('cannot pass a parameter that the manifest does not list', async (test) => {
    const host = await aVerifiedHost(test)
    const signed = withManifest(host, aJoin('join'))
    const environment = { ...signed.environment, KPSSH_VAR_extra: 'x' }
    await requireUnable(host, claiming(signed, { environment }), 'ParameterRefused')
  })

  it('cannot pass a value that the manifest does not allow', async (test) => {
    const host = await aVerifiedHost(test)
    const params = [{ name: 'KPSSH_NODE_NAME', pattern: '[a-z0-9.-]{1,20}' }]
    const signed = withManifest(host, aJoin('join'), { params })
    for (const value of ['', 'UPPER', '$(id)', 'a b', 'a\r', 'x'.repeat(21), 'é', 'n1;id']) {
      await requireUnable(
        host,
        claiming(signed, { environment: { KPSSH_NODE_NAME: value } }),
        'ParameterRefused',
      )
    }
    await requireRuns(host, claiming(signed, { environment: { KPSSH_NODE_NAME: 'n-1.x' } }))
    assert.equal(host.read('ran-join'), 'n-1.x\n')
  })

  it('cannot send an older fence, nor one that would lock everybody out', async (test) => {
    const host = await aVerifiedHost(test)
    const first = withManifest(host, aJoin('first'))
    await requireRuns(host, first)
    const fences = [
      [first.fence, 'FenceStale'],
      [first.fence - 1, 'FenceStale'],
      [1, 'FenceStale'],
      [first.fence + 20 * 365 * 24 * 3600, 'FenceAbsurd'],
      [999_999_999_999_999, 'FenceAbsurd'],
    ] as const
    for (const [fence, reason] of fences) {
      const report = await start(host, claiming(first, { fence }))
      assert.equal(report.kind === 'refused' && report.reason, reason)
    }
    for (const fence of [0, -1, 1e15, 1.5]) {
      await requireUnable(host, claiming(first, { fence }), 'EnvelopeRefused')
    }
    await requireRuns(host, claiming(first, {}))
  })

  it('cannot run two at once', async (test) => {
    const host = await aVerifiedHost(test)
    const slow = withManifest(host, aRun('sleep 3\n'))
    const started = await Promise.all([
      start(host, slow, 200),
      start(host, withManifest(host, aRun('sleep 3\n')), 200),
    ])
    const kinds = started.map((report) => (report.kind === 'refused' ? report.reason : report.kind))
    const refused = kinds.filter((kind) => kind !== 'running')
    assert.equal(kinds.length - refused.length, 1, kinds.join())
    assert.match(refused.join(), /^(RunInProgress|FenceStale)$/)
  })

  it('cannot take a host from another installation', async (test) => {
    const host = await aVerifiedHost(test)
    await requireRuns(host, withManifest(host, aJoin('first')))
    const report = await start(host, withManifest(host, aJoin('other', { installationID: 'installation-2' })))
    assert.equal(report.kind === 'refused' && report.reason, 'ForeignInstallation')
  })

  it('SSH-31: cannot stop a run by dropping the connection, and is told its outcome afterwards', async (test) => {
    const host = await aVerifiedHost(test)
    const script =
      'touch "$KPSSH_ROOT/begun"\nuntil [ -e "$KPSSH_ROOT/go" ]; do sleep 0.05; done\necho "to the end"\n'
    const request = withManifest(host, aRun(script))
    const leaving = new AbortController()
    const started = runs.start(host.target, request, { waitMs: 20_000, signal: leaving.signal })
    await eventually(() => host.list('').includes('begun'), 'the script to run')
    leaving.abort()
    assert.equal((await started).report.kind, 'indeterminate')
    writeFileSync(join(host.root, 'go'), '')
    const { report } = await runs.attach(host.target, request, { waitMs: 10_000 })
    assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, 'to the end\n')
  })

  it('cannot give a run more time than a day, and the host ends it at its deadline', async (test) => {
    const host = await aVerifiedHost(test)
    const long = withManifest(host, aRun('sleep 30\n', { timeoutMs: 86_400_001 }))
    await requireUnable(host, long, 'EnvelopeRefused')
    const report = await start(host, withManifest(host, aRun('sleep 30\n', { timeoutMs: 500 })))
    assert.equal(report.kind === 'finished' && report.outcome.kind, 'timed-out')
  })

  it('cannot send envelope 1 to a host that trusts manifests alone, not even with a signature of the script', async (test) => {
    const host = await aVerifiedHost(test)
    const script = marking('v1')
    const signature = host.signer.sign(script, 'kpssh')
    const result = await host.send(runEnvelopeV1({ phase: 'join', script, signature, parameters: {} }))
    assert.equal(result.exitCode, 2)
    const crossed = host.signer.sign(script, 'kpssh-manifest')
    assert.equal(
      (await host.send(runEnvelopeV1({ phase: 'join', script, signature: crossed, parameters: {} })))
        .exitCode,
      2,
    )
    assert.deepEqual(ran(host), [])
  })

  it('SSH-39: cannot replay a manifest that has expired, nor use one that is not valid yet', async (test) => {
    const host = await aVerifiedHost(test)
    const now = Date.now()
    for (const phase of ['install', 'join', 'uninstall'] as const) {
      const expired = { notBeforeMs: now - 3 * dayMs, notAfterMs: now - 2 * dayMs }
      await requireUnable(host, withManifest(host, aJoin('old', { phase }), expired), 'ManifestExpired')
      const early = { notBeforeMs: now + 2 * dayMs, notAfterMs: now + 3 * dayMs }
      await requireUnable(host, withManifest(host, aJoin('early', { phase }), early), 'ManifestNotYetValid')
    }
  })

  it("cannot use another profile's manifest for this one's script", async (test) => {
    const host = await aVerifiedHost(test)
    const other = withManifest(host, aJoin('other', { profile: 'sbc@1' }))
    const crossed = claiming(withManifest(host, aJoin('join')), {
      ...(other.signed && { signed: other.signed }),
    })
    await requireUnable(host, crossed, 'ManifestDigestMismatch')
  })

  it('counts the serials of each profile for itself', async (test) => {
    const host = await aVerifiedHost(test)
    await requireRuns(host, withManifest(host, aJoin('a'), { serial: 9 }))
    await requireRuns(host, withManifest(host, aJoin('b', { profile: 'sbc@1' }), { serial: 2 }))
    assert.deepEqual(host.list('var/lib/kpssh/serials'), ['demo', 'sbc'])
    await requireUnable(host, withManifest(host, aJoin('c'), { serial: 8 }), 'ManifestSerialTooLow')
  })

  it('SSH-39: cannot slip an old join in while a newer one is about to start', async (test) => {
    const host = await aVerifiedHost(test)
    await requireRuns(host, withManifest(host, aJoin('first'), { serial: 6 }))
    // Somebody else has the lock: what comes now has been found good, and waits for its turn.
    const [held, release] = [join(host.root, 'held'), join(host.root, 'release')]
    const script = `touch '${held}'; until [ -e '${release}' ]; do sleep 0.02; done`
    const holder = spawn('flock', [join(host.root, 'run/kpssh/lock'), 'sh', '-c', script])
    const ended = new Promise((resolve) => holder.once('exit', resolve))
    await eventually(() => host.list('').includes('held'), 'the lock to be taken')
    const old = withManifest(host, aJoin('old'), { serial: 6 })
    const manifest = old.signed?.manifest
    assert.ok(manifest !== undefined)
    const overtake = (_stream: string, chunk: Uint8Array) => {
      if (!Buffer.from(chunk).includes(' begin ')) return
      writeFileSync(join(host.root, 'var/lib/kpssh/serials/demo'), '7\n')
      writeFileSync(release, '')
    }
    const result = await aShell().run(
      host.target,
      aCommand('shim', { stdin: startEnvelope(marker, old, { manifest, waitMs: 5000 }), onOutput: overtake }),
    )
    await ended
    assert.equal(result.exitCode, 6)
    assert.match(result.stderr, /^kpssh-shim: manifest: SerialTooLow: /)
    assert.deepEqual(ran(host), ['ran-first'])
    await requireUnable(host, claiming(old, {}), 'ManifestSerialTooLow')
  })

  it('raises no serial by a start that the host refuses', async (test) => {
    const host = await aVerifiedHost(test)
    const first = withManifest(host, aJoin('first'), { serial: 1 })
    await requireRuns(host, first)
    const late = claiming(withManifest(host, aJoin('late'), { serial: 50 }), { fence: 1 })
    assert.equal((await start(host, late)).kind, 'refused')
    assert.equal(host.read('var/lib/kpssh/serials/demo'), '1\n')
    await requireRuns(host, claiming(first, {}))
  })

  it('sends no code: what is not signed cannot become a command, a file or another run', async (test) => {
    const host = await aVerifiedHost(test)
    const signed = withManifest(host, aJoin('join'))
    const manifest = signed.signed?.manifest
    assert.ok(manifest !== undefined)
    const whole = Buffer.from(startEnvelope(marker, signed, { manifest, waitMs: 100 })).toString()
    const injected = '$(touch $KPSSH_ROOT/ran)'
    const bad = [injected, '../../../tmp/x', 'a b', '', '1;id', 'a[$(id)]', '1+1', '-1']
    const badNumber = [...bad, '08', '0x10', '9'.repeat(30)]
    const rows: readonly (readonly [string, readonly string[], number])[] = [
      ...['run', 'installation', 'marker'].map((name) => [name, bad, 4] as const),
      ...['fence', 'timeout-ms', 'wait-ms'].map((name) => [name, badNumber, 4] as const),
      ...['phase', 'action'].map((name) => [name, bad.filter((value) => value !== ''), 5] as const),
    ]
    for (const [name, values, code] of rows) {
      for (const value of values) {
        const bent = whole.replace(new RegExp(`^${name}: .*$`, 'm'), () => `${name}: ${value}`)
        assert.equal((await host.send(bent)).exitCode, code, `${name}: ${value}`)
      }
    }
    assert.deepEqual([ran(host), host.list('var/lib/kpssh')], [[], []])
  })
})
