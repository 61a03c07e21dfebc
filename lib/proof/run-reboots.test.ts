import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findingsOf, prove, stepWith, type ScriptChange } from '../../test/support/worlds/proof-world.ts'

describe('proof 3, reboots', () => {
  const cases: readonly (readonly [string, string, ScriptChange])[] = [
    [
      'ComesBackAfterReboot',
      'an agent that leave only stops',
      { phase: 'leave', from: 'disable kubelet.service', to: [] },
    ],
    [
      'ComesBackAfterReboot',
      'a runtime that leave only stops',
      { phase: 'leave', from: 'disable containerd.service', to: [] },
    ],
    [
      'ComesBackAfterReboot',
      'an agent that install leaves enabled',
      { phase: 'install', to: ['enable kubelet.service'] },
    ],
    [
      'MemberStaysDown',
      'an agent that join only starts',
      { phase: 'join', from: 'enable kubelet.service', to: [] },
    ],
    [
      'JoinAloneFails',
      'a join that needs what leave removed',
      { phase: 'leave', to: ['write /etc/left', 'remove /usr/bin/kubelet'] },
    ],
  ]
  for (const [reason, what, change] of cases) {
    it(`finds ${what}: ${reason}`, async () => {
      assert.ok((await findingsOf(3, change)).includes(reason))
    })
  }
  it('finds a join that needs what the reboot took', async () => {
    const change: ScriptChange = { phase: 'join', to: ['unless /run/booted fail 4'] }
    const { steps } = await prove(change, { proofs: [3], settings: { machine: 'write /run/booted' } })
    assert.deepEqual(stepWith(steps, 'leave, reboot, join').findings, [
      {
        reason: 'JoinAloneFails',
        message: 'join after leave and a reboot ended with exit code 4',
        lines: ['joined'],
      },
    ])
  })
})
