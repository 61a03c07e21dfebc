// What the proofs on booted hosts do on a machine that cannot boot any, here because it gives no root.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const nobody = 'data:text/javascript,process.getuid = () => 65534'
const proof = fileURLToPath(new URL('tls-bootstrap.test.ts', import.meta.url))

describe('a machine that cannot boot test hosts', () => {
  it('skips their proofs and says what it needs', () => {
    const { status, stdout } = runProof({})
    assert.match(stdout, /^ok 1 - tls-bootstrap on a host that systemd has booted # SKIP needs root$/m)
    assert.match(stdout, /^# pass 0$/m)
    assert.equal(status, 0)
  })

  it('fails where nothing may be skipped', () => {
    const { status, stdout, stderr } = runProof({ KPSSH_REQUIRE_NAMESPACES: '1' })
    assert.match(
      stdout + stderr,
      /Cannot boot test hosts: needs root; KPSSH_REQUIRE_NAMESPACES forbids to skip them/,
    )
    assert.equal(status, 1)
  })
})

function runProof(more: NodeJS.ProcessEnv): { status: number | null; stdout: string; stderr: string } {
  const ownRun = { NODE_TEST_CONTEXT: undefined, KPSSH_REQUIRE_NAMESPACES: undefined }
  return spawnSync(process.execPath, ['--import', nobody, '--test-reporter=tap', proof], {
    env: { ...process.env, ...ownRun, ...more },
    encoding: 'utf8',
    timeout: 60_000,
  })
}
