import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LoginObservation } from '../adapters/ssh/try-login.ts'
import { judge, loginTrials, type Trial } from './judge-login.ts'

function trialOf(name: string): Trial {
  const trial = loginTrials(22).find((each) => each.name === name)
  assert.ok(trial !== undefined)
  return trial
}

function ran(more: Partial<Extract<LoginObservation, { kind: 'ran' }>>): LoginObservation {
  return { kind: 'ran', exitCode: 4, stdout: '', stderr: 'kpssh-shim: envelope: it is empty\n', ...more }
}

describe('judge', () => {
  it('holds what was refused, and where the shim itself answered as it must', () => {
    assert.deepEqual(judge(trialOf('terminal'), { kind: 'refused', said: 'Unable to request\n it' }), {
      isHeld: true,
      happened: 'refused: Unable to request | it',
    })
    assert.deepEqual(judge(trialOf('shell'), ran({})), {
      isHeld: true,
      happened: 'the shim: envelope: it is empty',
    })
    assert.equal(judge(trialOf('unsigned script'), ran({ exitCode: 2 })).isHeld, true)
    assert.deepEqual(judge(trialOf('sftp'), ran({ stderr: '' })), {
      isHeld: true,
      happened: 'the shim: exit code 4',
    })
  })

  const open: readonly [string, string, LoginObservation][] = [
    ['was granted', 'port', { kind: 'granted' }],
    ['stays silent', 'shell', { kind: 'silent' }],
    ['ran', 'command', ran({ exitCode: 0, stdout: 'kpssh-65321\n' })],
    ['ran and then let the shim answer', 'command', ran({ stderr: 'kpssh-65321\nkpssh-shim: envelope\n' })],
    ['says something before the shim does', 'shell', ran({ stdout: 'Welcome\n' })],
    ['says something beside the shim', 'shell', ran({ stderr: 'kpssh-shim: envelope\nbye\n' })],
    ['ends like the shim but says nothing', 'shell', ran({ stderr: '' })],
    ['was taken for an envelope', 'shell', ran({ exitCode: 0 })],
    ['ran although nobody signed it', 'unsigned script', ran({ exitCode: 10 })],
    ['answers as sftp', 'sftp', ran({ stdout: '\u0000\u0000\u0000\u0005', stderr: '' })],
    ['ends sftp in another way', 'sftp', ran({ exitCode: 127, stderr: '' })],
    ['has no exit code', 'shell', { kind: 'ran', stdout: '', stderr: '' }],
  ]
  for (const [what, name, seen] of open) {
    it(`does not hold what ${what}`, () => assert.equal(judge(trialOf(name), seen).isHeld, false))
  }

  it('shows what a host says as short text', () => {
    const { happened } = judge(trialOf('shell'), ran({ stdout: `\u001b[2J${'x'.repeat(5000)}` }))
    assert.ok(happened.length < 200 && !happened.includes('\u001b'))
  })
})
