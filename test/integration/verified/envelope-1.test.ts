// The shim as hosts have known it: envelope 1, by its own real bytes, behind a real sshd.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runEnvelopeV1 } from '../../../lib/execution/envelope-v1.ts'
import type { RemoteResult, RunRequest } from '../../../lib/execution/ports.ts'
import { aRun } from '../../support/sshd/runs-on.ts'
import { aSigner } from '../../support/sshd/signer.ts'
import { needsSshd } from '../../support/sshd/ssh-host.ts'
import { aVerifiedHost, runs, scriptSigner, type VerifiedHost } from '../../support/sshd/verified-host.ts'

const script = 'touch "$KPSSH_ROOT/ran"\necho "node $KPSSH_NODE_NAME"\n'

async function anOlderHost(test: TestContext): Promise<VerifiedHost> {
  const host = await aVerifiedHost(test)
  host.trust(scriptSigner(host.signer))
  return host
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

interface Parts {
  readonly phase?: string
  readonly script?: string
  /** Of the signed script, if it is another one than the script that is sent. */
  readonly signature?: string | undefined
  readonly params?: string
}

function envelope(host: VerifiedHost, parts: Parts = {}): string {
  const sent = parts.script ?? script
  const signature = 'signature' in parts ? parts.signature : host.signer.sign(sent, 'kpssh')
  return [
    'kpssh-envelope: 1\n',
    `phase: ${parts.phase ?? 'join'}\n`,
    parts.params === undefined ? '' : `params-b64: ${base64(parts.params)}\n`,
    signature === undefined ? '' : `sig-b64: ${base64(signature)}\n`,
    `script-b64: ${base64(sent)}\n`,
  ].join('')
}

function ran(host: VerifiedHost): boolean {
  return host.list('').includes('ran')
}

function requireRefused(host: VerifiedHost, result: RemoteResult, code: number): void {
  assert.deepEqual({ code: result.exitCode, stdout: result.stdout }, { code, stdout: '' }, result.stderr)
  assert.match(result.stderr, /^kpssh-shim: /m)
  assert.equal(ran(host), false)
}

describe('envelope 1 on a real host', { concurrency: 3, ...needsSshd }, () => {
  it('ref 35: a signed script runs with its parameters', async (test) => {
    const host = await anOlderHost(test)
    const result = await host.send(envelope(host, { params: 'KPSSH_NODE_NAME=n1\n' }))
    assert.deepEqual([result.exitCode, result.stdout], [0, 'node n1\n'])
    assert.ok(ran(host))
  })

  it('ref 36: a script that was changed after it was signed does not run', async (test) => {
    const host = await anOlderHost(test)
    const signature = host.signer.sign(script, 'kpssh')
    requireRefused(host, await host.send(envelope(host, { script: `${script}id\n`, signature })), 2)
  })

  it('ref 37: a signer that is not allowed is not believed', async (test) => {
    const host = await anOlderHost(test)
    const signature = aSigner(test).sign(script, 'kpssh')
    requireRefused(host, await host.send(envelope(host, { signature })), 2)
  })

  it('ref 49: a signature for another namespace is none', async (test) => {
    const host = await anOlderHost(test)
    requireRefused(host, await host.send(envelope(host, { signature: host.signer.sign(script, 'file') })), 2)
  })

  it('ref 38: an envelope without signature is malformed', async (test) => {
    const host = await anOlderHost(test)
    requireRefused(host, await host.send(envelope(host, { signature: undefined })), 4)
  })

  it('ref 39: a parameter with a bad name stops everything', async (test) => {
    const host = await anOlderHost(test)
    for (const params of [
      'BAD-NAME=x\n',
      'KPSSH_NODE_NAME=n1\nKPSSH_BAD-NAME=x\n',
      'KPSSH_=x\n',
      'KPSSH_X\n',
    ]) {
      requireRefused(host, await host.send(envelope(host, { params })), 3)
    }
  })

  for (const name of [
    'BASH_ENV',
    'ENV',
    'LD_PRELOAD',
    'PATH',
    'IFS',
    'EVIL',
    'BASH_FUNC_touch%%',
    'PS4',
    'LC_ALL',
  ]) {
    it(`ref 40, SSH-37: ${name} as a parameter runs neither what it names nor the script`, async (test) => {
      const host = await anOlderHost(test)
      const injected = `$(touch ${host.root}/ran)`
      requireRefused(host, await host.send(envelope(host, { params: `${name}=${injected}\n` })), 3)
      const asValue = await host.send(
        envelope(host, { params: `KPSSH_NODE_NAME=${injected}\n`, script: 'echo "$KPSSH_NODE_NAME"\n' }),
      )
      assert.deepEqual([asValue.exitCode, asValue.stdout, ran(host)], [0, `${injected}\n`, false])
    })
  }

  it('ref 41: a script that fails is told by 10, and how it ended on stderr', async (test) => {
    const host = await anOlderHost(test)
    const result = await host.send(envelope(host, { script: 'exit 2\n' }))
    assert.equal(result.exitCode, 10)
    assert.match(result.stderr, /^kpssh-shim: script exited 2$/m)
  })

  it('ref 42: without allowed_signers nobody is believed', async (test) => {
    const host = await anOlderHost(test)
    rmSync(join(host.root, 'etc/kpssh/allowed_signers'))
    const result = await host.send(envelope(host))
    requireRefused(host, result, 2)
    assert.match(result.stderr, /^kpssh-shim: verify: /m)
  })

  it('ref 43: an unknown phase is refused, signed or not', async (test) => {
    const host = await anOlderHost(test)
    requireRefused(host, await host.send(envelope(host, { phase: 'pwn' })), 5)
    requireRefused(host, await host.send(envelope(host, { phase: 'pwn', signature: undefined })), 5)
  })

  it('ref 44: a probe needs no signature', async (test) => {
    const host = await anOlderHost(test)
    const result = await host.send('kpssh-envelope: 1\nphase: probe\n')
    assert.equal(result.exitCode, 0)
    assert.match(result.stdout, /^\d+\n\d+\n\S+\n/)
  })

  it('of a repeated header the last one counts, unknown lines and blanks are not looked at', async (test) => {
    const host = await anOlderHost(test)
    const whole = envelope(host, { params: 'KPSSH_NODE_NAME=n2\n' })
    const noisy = `phase: pwn\n\nhello: world\nparams-b64: AAAA\n${whole.trimEnd()}`
    assert.equal((await host.send(noisy)).stdout, 'node n2\n')
  })

  it('SSH-23: CRLF is not taken for LF', async (test) => {
    const host = await anOlderHost(test)
    requireRefused(host, await host.send(envelope(host).replaceAll('\n', '\r\n')), 4)
  })

  it('a script gets an empty stdin, none of our options, and no temporary files stay', async (test) => {
    const host = await anOlderHost(test)
    const text = 'cat\necho "$- ${BASH_ENV-none} $(dirname "$0")"\nfalse\ntrue\n'
    const result = await host.send(envelope(host, { script: text }))
    const [, options = '', folder = ''] = /^(\w+) none (\S+)\n$/.exec(result.stdout) ?? []
    assert.deepEqual([result.exitCode, options], [0, 'hB'])
    assert.equal((await host.send('kpssh-envelope: 1\nphase: probe\n')).exitCode, 0)
    assert.match(folder, /kpssh\.\w+$/)
    await assert.rejects(
      import('node:fs/promises').then(({ stat }) => stat(folder)),
      { code: 'ENOENT' },
    )
  })

  it('is what runs are sent on a host whose signers sign no manifests', async (test) => {
    const host = await anOlderHost(test)
    const run: RunRequest = aRun(script, { environment: { KPSSH_NODE_NAME: 'n3' } })
    const signed = { ...run, signed: { signature: host.signer.sign(script, 'kpssh') } }
    const { report } = await runs.start(host.target, signed, { waitMs: 10_000 })
    assert.equal(report.kind === 'finished' && report.outcome.stdoutTail, 'node n3\n')
    assert.ok(
      Buffer.from(
        runEnvelopeV1({ ...signed, parameters: run.environment, signature: signed.signed.signature }),
      ).includes('sig-b64: '),
    )
  })
})
