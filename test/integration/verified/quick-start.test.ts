// docs/verified.md word for word: what it tells people to type is typed, on a booted Debian in the place of their host.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { SSHJoinProfileManifest } from '../../../lib/api/ssh-join-profile.ts'
import { parse as parseYaml } from 'yaml'
import { launcher } from '../../support/run-kpssh.ts'
import { lookForNeeds, skippedWhere } from '../../support/systemd-host/needs.ts'
import { makeSystemdHost, type SystemdHost } from '../../support/systemd-host/systemd-host.ts'

const needs = await lookForNeeds()
const page = readFileSync(new URL('../../../docs/verified.md', import.meta.url), 'utf8')

/** The commands below a heading of the page, block by block. */
function blocksBelow(heading: string): readonly string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```\n(.*?)^```$/gms)].map(([, text = '']) => text)
}

const profile = {
  'profile.yaml':
    "apiVersion: karpenter.dklesev.github.io/v1beta1\nkind: SSHJoinProfile\nmetadata:\n  name: my-profile\nspec:\n  version: '3'\n  agentUnits: [demo-agent]\n",
  'install.sh': 'set -euo pipefail\ntouch /root/installed\n',
  'join.sh': 'set -euo pipefail\necho "$KPSSH_NODE_NAME" >/root/member\n',
  'leave.sh': 'set -euo pipefail\nrm -f /root/member\n',
  'uninstall.sh': 'set -euo pipefail\nrm -f /root/installed\n',
}

describe('docs/verified.md', skippedWhere(needs), () => {
  const folder = mkdtempSync(join(tmpdir(), 'kpssh-quick-start-'))
  let host: SystemdHost

  before(async () => {
    assert.ok(needs.kind === 'met')
    host = await makeSystemdHost({ tree: needs.tree, programs: {} })
    for (const path of ['.ssh', 'bin', 'my-profile']) mkdirSync(join(folder, path))
    for (const [name, text] of Object.entries(profile)) writeFileSync(join(folder, 'my-profile', name), text)
    writeFileSync(
      join(folder, 'context.json'),
      JSON.stringify({ NodeName: 'n1', HostAddress: host.address, NodeAddress: host.address }),
    )
    writeFileSync(join(folder, '.ssh/admin'), host.target.privateKey.reveal(), { mode: 0o600 })
    writeFileSync(
      join(folder, 'bin/npx'),
      `#!/bin/sh\nshift\nexec '${process.execPath}' '${launcher}' "$@"\n`,
      { mode: 0o755 },
    )
    writeFileSync(join(folder, 'bin/kubectl'), '#!/bin/sh\ncat >applied.yaml\n', { mode: 0o755 })
  })
  after(async () => {
    await host.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** With what people put in the place of the addresses and of what is left out; keys have no passphrase. */
  function type(block: string): Promise<{ readonly code: number | null; readonly said: string }> {
    const rest = `--login-key login-key.pub --from ${host.gateway} --run ops@${host.address} --identity ~/.ssh/admin`
    const typed = block
      .replaceAll('192.0.2.11', host.address)
      .replaceAll('203.0.113.7', host.gateway)
      .replaceAll('admin@', 'ops@')
      .replaceAll(' …', ` ${rest}`)
    const env = { HOME: folder, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` }
    const child = spawn('setsid', ['bash', '-ec', typed], { cwd: folder, env })
    child.stdin.end('\n\n')
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })))
  }

  async function onHost(script: string): Promise<string> {
    return (await host.sudo(script)).stdout
  }

  it('brings up one host by hand: sign, prepare, prove, join, leave, hand over', async () => {
    const blocks = blocksBelow('One host, by hand')
    assert.equal(blocks.length, 4)
    for (const block of blocks) {
      const { code, said } = await type(block)
      assert.equal(code, 0, said)
    }
    assert.equal(
      await onHost(
        'ls /root/installed /root/member 2>/dev/null; cut -d" " -f4,7 /var/lib/kpssh/started | grep .',
      ),
      '/root/installed\ninstall my-profile@3\njoin my-profile@3\nleave my-profile@3\n',
    )
    const applied = SSHJoinProfileManifest.parse(
      parseYaml(readFileSync(join(folder, 'applied.yaml'), 'utf8')),
    )
    assert.deepEqual(Object.keys(applied.spec.manifests ?? {}).sort(), [
      'install',
      'join',
      'leave',
      'uninstall',
    ])
  })

  it('changes the signing key without touching the host, once it trusts an authority', async () => {
    const blocks = blocksBelow('Keys')
    assert.equal(blocks.length, 2)
    for (const block of blocks) {
      const { code, said } = await type(block)
      assert.equal(code, 0, said)
    }
    const trusted = await onHost('cat /etc/kpssh/allowed_signers')
    assert.match(trusted, /^kpssh cert-authority,namespaces="kpssh-manifest" ssh-ed25519 \S+\n$/)
    const [, , joining = ''] = blocksBelow('One host, by hand')
    const { code, said } = await type(joining.split('\n')[1] ?? '')
    assert.equal(code, 0, said)
    assert.equal(await onHost('cat /root/member'), 'n1\n')
  })
})
