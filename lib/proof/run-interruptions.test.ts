import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findingsOf, prove, stepWith, type ScriptChange } from '../../test/support/worlds/proof-world.ts'

describe('proof 2, interruptions', () => {
  it('finds a phase that fails when it is run again: FailsAfterInterruption', async () => {
    const change: ScriptChange = {
      phase: 'install',
      from: 'write /etc/unfinished',
      to: ['if /etc/unfinished fail 2', 'write /etc/unfinished'],
    }
    const { steps } = await prove(change, { proofs: [2] })
    assert.deepEqual(stepWith(steps, 'install: killed').findings[0], {
      reason: 'FailsAfterInterruption',
      message:
        'install, killed at step 2, line 3, before: write /usr/bin/kubelet 755 binary, and run again, ended with exit code 2',
      lines: [],
    })
  })
  it('finds a phase that takes its half for the whole: NotIdempotent', async () => {
    const change: ScriptChange = {
      phase: 'install',
      from: 'write /etc/unfinished',
      to: [
        'unless /etc/known write /etc/size 644 large',
        'if /etc/known write /etc/size',
        'write /etc/known',
      ],
    }
    const { steps } = await prove(change, { proofs: [2] })
    assert.deepEqual(stepWith(steps, 'install: killed').findings[0], {
      reason: 'NotIdempotent',
      message:
        'install, killed at step 3, line 4, before: write /usr/bin/kubelet 755 binary, and run again, ends otherwise than a run that nobody killed',
      lines: ['~ file /etc/size', '    - large', '    +'],
    })
  })
  it('finds a half join that leave does not end (POOL-06): HalfJoinNotLeft', async () => {
    const change: ScriptChange = {
      phase: 'join',
      from: 'write /run/config',
      to: ['write /etc/pending 600', 'write /run/config', 'remove /etc/pending'],
    }
    const { steps } = await prove(change, { proofs: [2] })
    assert.deepEqual(stepWith(steps, 'leave after a join that was killed').findings[0], {
      reason: 'HalfJoinNotLeft',
      message:
        'leave after a join that was killed at step 4, line 5, before: write /run/config, ends neither as before join nor as after a whole one',
      lines: ['+ file /etc/pending 600'],
    })
  })
  it('finds a leave that fails after half a join', async () => {
    const change: ScriptChange = {
      phase: 'leave',
      from: 'contain 0',
      to: ['if /etc/bootstrap fail 7', 'contain 0'],
    }
    const { steps } = await prove(change, { proofs: [2] })
    const { findings } = stepWith(steps, 'leave after a join that was killed')
    assert.deepEqual(
      findings.map(({ reason }) => reason),
      Array.from({ length: 8 }, () => 'HalfJoinNotLeft'),
    )
  })
  it('lets a half join be left as before it or as after a whole one, which may be warm', async () => {
    const change: ScriptChange = { phase: 'join', to: ['write /var/lib/registration 600 mi-1'] }
    assert.deepEqual(await findingsOf(2, change), [])
  })
  it('tries as many points as it is told', async () => {
    const { steps } = await prove(undefined, { proofs: [2], interruptions: 3 })
    assert.deepEqual(stepWith(steps, 'join: where it can be interrupted').notes, [
      '16 steps, before 12 of them the machine is another; 3 are tried',
    ])
    assert.equal(stepWith(steps, 'join: killed').title, 'join: killed at 3 points and run again')
  })
  it('says why nothing can be interrupted', async () => {
    assert.deepEqual(await findingsOf(2, { phase: 'install', to: ['fail 1'] }), ['PhaseFails'])
  })
  it('counts the findings that it does not show', async () => {
    const change: ScriptChange = {
      phase: 'join',
      from: 'stop kubelet.service',
      to: ['if /etc/bootstrap fail 2'],
    }
    const { steps } = await prove(change, { proofs: [2] })
    const { findings, moreFindings } = stepWith(steps, 'join: killed')
    assert.deepEqual([findings.length, moreFindings], [8, 2])
  })
})
