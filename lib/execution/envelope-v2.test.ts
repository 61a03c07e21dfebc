import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attachEnvelope, probeEnvelope, startEnvelope } from './envelope-v2.ts'
import type { RunRequest } from './ports.ts'

const marker = 'kpssh-0123456789abcdef0123456789abcdef'
const manifest = { manifest: 'kpssh-manifest: 1\n', signature: 'armor\n' }
const request: RunRequest = {
  runId: 'run-1',
  phase: 'join',
  fence: 1_800_000_001,
  installationID: 'installation-1',
  profile: 'demo@1',
  script: 'true\n',
  environment: { KPSSH_VAR_x: 'world', KPSSH_NODE_NAME: 'n1' },
  secrets: [],
  timeoutMs: 300_000,
  agentUnits: ['kubelet'],
}

function started(more: Partial<RunRequest> = {}): string {
  return Buffer.from(startEnvelope(marker, { ...request, ...more }, { manifest, waitMs: 45_000 })).toString()
}

describe('envelope 2', () => {
  it('starts a run with what is signed and what is not, and says where it ends', () => {
    assert.equal(
      started(),
      [
        'kpssh-envelope: 2',
        'action: start',
        `marker: ${marker}`,
        'run: run-1',
        'phase: join',
        'fence: 1800000001',
        'installation: installation-1',
        'timeout-ms: 300000',
        'wait-ms: 45000',
        'manifest-b64: a3Bzc2gtbWFuaWZlc3Q6IDEK',
        'manifest-sig-b64: YXJtb3IK',
        'params-b64: S1BTU0hfTk9ERV9OQU1FPW4xCktQU1NIX1ZBUl94PXdvcmxkCg==',
        'script-b64: dHJ1ZQo=',
        'end:\n',
      ].join('\n'),
    )
  })

  it('says with a dash that a run belongs to no installation, and leaves out what there is not', () => {
    const nobodys = { ...request, environment: {} }
    delete nobodys.installationID
    const text = Buffer.from(startEnvelope(marker, nobodys, { manifest, waitMs: 0 })).toString()
    assert.match(text, /^installation: -$/m)
    assert.doesNotMatch(text, /params-b64/)
  })

  it('attaches to a run, and probes units that it can name', () => {
    const attached = attachEnvelope(marker, { runId: 'run-1', waitMs: 1000, offset: 12 })
    const begin = `kpssh-envelope: 2\naction: attach\nmarker: ${marker}\n`
    assert.equal(Buffer.from(attached).toString(), `${begin}run: run-1\nwait-ms: 1000\noffset: 12\nend:\n`)
    const probe = `kpssh-envelope: 2\naction: probe\nmarker: ${marker}\n`
    assert.equal(
      Buffer.from(probeEnvelope(marker, ['kubelet', 'a\nrun: x', 'k3s@1.service'])).toString(),
      `${probe}agent-units: kubelet k3s@1.service\nend:\n`,
    )
    assert.equal(Buffer.from(probeEnvelope(marker, [])).toString(), `${probe}end:\n`)
  })

  it('names no run that could name another file', () => {
    for (const runId of ['../x', 'a b', '', 'x'.repeat(200), 'a\nfence: 1']) {
      assert.throws(() => started({ runId }), TypeError)
      assert.throws(() => attachEnvelope(marker, { runId, waitMs: 0, offset: 0 }), TypeError)
    }
  })

  it('is not made larger than a shim reads', () => {
    assert.throws(() => started({ script: 'x'.repeat(800_000) }), { reason: 'EnvelopeTooLarge' })
    assert.ok(started({ script: 'x'.repeat(700_000) }).length < 1024 * 1024)
  })

  it('ref 32: refuses a parameter of two lines', () =>
    assert.throws(() => started({ environment: { KPSSH_A: 'a\nb' } }), { reason: 'ParameterInvalid' }))
})
