import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startPrivateSshd, type PrivateSshd } from '../../infra/bench/private-sshd.ts'
import { kpssh, startKpssh } from '../support/run-kpssh.ts'

const code = 'activation-code-1234'
let folder = ''
let sshd: PrivateSshd

const scripts = {
  install: 'echo installing; echo to-stderr >&2\n',
  join: 'set -x\necho "token $KPSSH_BOOTSTRAP_TOKEN"\necho "$KPSSH_SECRET_CODE" | base64\nfalse\n',
  leave: 'echo "bye {{ .HostAddress }}"\n',
  uninstall: 'test -z "$KPSSH_NODE_NAME"\necho gone >"$KPSSH_ROOT/uninstalled"\n',
}
const slow = {
  ...scripts,
  install: 'echo started\nuntil [ -e "$KPSSH_ROOT/go" ]; do sleep 0.1; done\necho ready\nexit 0\n',
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kpssh-cli-phase-'))
  const root = join(folder, 'root')
  await mkdir(join(root, 'run'), { recursive: true })
  await mkdir(join(root, 'var', 'lib'), { recursive: true })
  sshd = await startPrivateSshd({
    folder: join(folder, 'sshd'),
    listenAddress: '127.0.0.1',
    environment: { KPSSH_ROOT: root },
  })
  await writeFile(
    join(folder, 'ctx.json'),
    JSON.stringify({
      BootstrapToken: 'abcdef.0123456789abcdef',
      NodeName: 'n1',
      HostAddress: '127.0.0.1',
      Secrets: { code },
    }),
  )
  for (const [name, some] of [
    ['profile', scripts],
    ['slow', slow],
  ] as const) {
    const manifest = {
      apiVersion: 'karpenter.dklesev.github.io/v1beta1',
      kind: 'SSHJoinProfile',
      metadata: { name },
      spec: { scripts: some },
    }
    await writeFile(join(folder, `${name}.json`), JSON.stringify(manifest))
  }
})
after(async () => {
  await sshd.stop()
  await rm(folder, { recursive: true })
})

function words(phase: string, { profile = 'profile.json', port = sshd.port, knownHost = '' } = {}): string[] {
  return [
    ...['phase', 'run', phase, '--profile', profile, '--context', 'ctx.json'],
    ...['--host', `root@127.0.0.1:${port}`, '--identity', sshd.privateKeyFile],
    ...['--known-host', knownHost || (sshd.hostPublicKeys.ed25519 ?? '')],
  ]
}

describe('kpssh phase run', () => {
  it('runs a phase on a host and shows what it prints', async () => {
    const { code: exitCode, stdout, stderr } = await kpssh(words('install'), { cwd: folder })
    assert.equal(exitCode, 0, stderr)
    assert.equal(stdout, 'installing\n')
    assert.match(stderr, /^(Looking at .*\n)?host key ssh-ed25519 SHA256:\S+\nto-stderr\n/)
    assert.match(stderr, /install succeeded after [0-9.]+ s\n$/)
  })
  it('gives leave and uninstall the addresses and nothing else', async () => {
    assert.equal((await kpssh(words('leave'), { cwd: folder })).stdout, 'bye 127.0.0.1\n')
    assert.equal((await kpssh(words('uninstall'), { cwd: folder })).code, 0)
    assert.equal(await readFile(join(folder, 'root', 'uninstalled'), 'utf8'), 'gone\n')
  })
  it('SSH-36: ends a script that fails with exit code 70 and its last lines, without its secrets', async () => {
    const { code: exitCode, stdout, stderr } = await kpssh(words('join'), { cwd: folder })
    assert.equal(exitCode, 70)
    assert.match(stderr, /kpssh: Cannot finish join: the script exited with code 1 .*its last lines are:\n/)
    assert.match(stdout, /token \[REDACTED\]/)
    for (const secret of ['0123456789abcdef', code, Buffer.from(code).toString('base64').slice(0, 20)]) {
      assert.ok(!stdout.includes(secret) && !stderr.includes(secret))
    }
  })
  it('SSH-01: sends nothing to a host with another key', async () => {
    const knownHost = `SHA256:${'A'.repeat(43)}`
    const { code: exitCode, stderr } = await kpssh(words('install', { knownHost }), { cwd: folder })
    assert.equal(exitCode, 77)
    assert.match(stderr, /Cannot trust/)
  })
  it('says that nobody listens', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const address = closed.address()
    assert.ok(typeof address === 'object' && address !== null)
    await new Promise((resolve) => closed.close(resolve))
    const { code: exitCode, stderr } = await kpssh(words('install', { port: address.port }), { cwd: folder })
    assert.equal(exitCode, 75)
    assert.match(stderr, /kpssh: Cannot connect/)
  })
  it('stops watching at Ctrl-C and goes on with the line it prints', async () => {
    const watching = startKpssh(words('install', { profile: 'slow.json' }), { cwd: folder })
    await watching.said('started')
    watching.child.kill('SIGINT')
    const detached = await watching.ended
    assert.equal(detached.code, 130, detached.stderr)
    const line = /kpssh (phase attach install [0-9a-f-]+)/.exec(detached.stderr)?.[1] ?? ''
    await writeFile(join(folder, 'root', 'go'), '')
    const attached = await kpssh(
      [...line.split(' '), '--host', `root@127.0.0.1:${sshd.port}`, '--identity', sshd.privateKeyFile],
      { cwd: folder },
    )
    assert.equal(attached.code, 0, attached.stderr)
    assert.equal(attached.stdout, 'started\nready\n')
    assert.match(attached.stderr, /^host key ssh-ed25519 SHA256:/)
  })
  it('knows no run that was never started', async () => {
    const { code: exitCode, stderr } = await kpssh(
      [
        'phase',
        'attach',
        'join',
        'no-such-run',
        '--host',
        `root@127.0.0.1:${sshd.port}`,
        '--identity',
        sshd.privateKeyFile,
      ],
      { cwd: folder },
    )
    assert.equal(exitCode, 75)
    assert.match(stderr, /the host knows no such run/)
  })
  it('refuses a key that is none before it connects', async () => {
    await writeFile(join(folder, 'nokey'), 'not a key')
    const { code: exitCode, stderr } = await kpssh(
      words('install').map((word) => (word === sshd.privateKeyFile ? 'nokey' : word)),
      { cwd: folder },
    )
    assert.equal(exitCode, 65)
    assert.match(stderr, /Cannot use the private key/)
  })
})
