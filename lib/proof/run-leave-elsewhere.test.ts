import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findingsOf, prove, stepWith, type ScriptChange } from '../../test/support/worlds/proof-world.ts'

const unitFile = '/usr/lib/systemd/system/kubelet.service'

describe('proof 4, leave where nobody expects it', () => {
  const cases: readonly (readonly [string, string, ScriptChange])[] = [
    [
      'LeaveFailsOnFreshHost',
      'a leave that needs what install brings',
      { phase: 'leave', to: ['unless /usr/bin/kubelet fail 5'] },
    ],
    [
      'LeaveFailsWithoutAgent',
      'a leave that needs the unit file',
      { phase: 'leave', to: [`if /etc/kubelet.conf unless ${unitFile} fail 5`] },
    ],
    [
      'LeaveFailsOnMaskedUnit',
      'a leave that cannot live with a mask',
      { phase: 'leave', to: ['if /etc/systemd/system/kubelet.service fail 5'] },
    ],
    ['LeaveChangesOther', 'a leave that writes', { phase: 'leave', to: ['write /etc/left'] }],
    [
      'MaskRemoved',
      'a leave that lifts a mask',
      { phase: 'leave', to: ['if /etc/systemd/system/kubelet.service unmask kubelet.service'] },
    ],
    [
      'UnitStillActive',
      'a leave that is over where the unit file is gone',
      { phase: 'leave', from: 'stop kubelet.service', to: [`if ${unitFile} stop kubelet.service`] },
    ],
  ]
  for (const [reason, what, change] of cases) {
    it(`finds ${what}: ${reason}`, async () => {
      const leave: ScriptChange =
        reason === 'LeaveFailsWithoutAgent'
          ? { phase: 'leave', from: 'disable kubelet.service', to: change.to }
          : change
      assert.ok((await findingsOf(4, leave)).includes(reason))
    })
  }
  it('removes the program that the unit starts, and its file', async () => {
    const { steps } = await prove(undefined, { proofs: [4] })
    assert.deepEqual(stepWith(steps, 'leave where the agent was removed by hand').notes, [
      `removed: ${unitFile}, /usr/bin/kubelet`,
    ])
  })
  it('finds what leave only removes where the agent is still there', async () => {
    const change: ScriptChange = {
      phase: 'leave',
      from: 'remove /etc/kubelet.conf',
      to: [`if ${unitFile} remove /etc/kubelet.conf`],
    }
    const { steps } = await prove(change, { proofs: [4] })
    assert.deepEqual(stepWith(steps, 'leave where the agent was removed by hand').findings, [
      {
        reason: 'LeaveChangesOther',
        message:
          'leave where the agent was removed by hand ends otherwise than if that had happened after leave',
        lines: ['+ file /etc/kubelet.conf 600', '    certificate'],
      },
    ])
  })
})
