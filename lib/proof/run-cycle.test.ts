import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findingsOf, prove, stepWith, type ScriptChange } from '../../test/support/worlds/proof-world.ts'
import { formatGolden } from './golden.ts'

describe('proof 1, the cycle', () => {
  const cases: readonly (readonly [string, string, ScriptChange])[] = [
    ['PhaseFails', 'a phase that fails', { phase: 'join', to: ['fail 3'] }],
    [
      'UnitStillEnabled',
      'an agent that install leaves enabled',
      { phase: 'install', to: ['enable kubelet.service'] },
    ],
    [
      'UnitStillEnabled',
      'a runtime that leave forgets',
      { phase: 'leave', from: 'disable containerd.service', to: [] },
    ],
    [
      'UnitStillActive',
      'an agent that leave does not stop',
      { phase: 'leave', from: 'stop kubelet.service', to: [] },
    ],
    [
      'UnitNotActive',
      'an agent that join does not start',
      { phase: 'join', from: 'start kubelet.service', to: [] },
    ],
    [
      'UnitNotEnabled',
      'an agent that join does not enable',
      { phase: 'join', from: 'enable kubelet.service', to: [] },
    ],
    ['ContainersStay', 'containers that outlive leave', { phase: 'leave', from: 'contain 0', to: [] }],
    [
      'MountsStay',
      'mounts that outlive leave',
      { phase: 'leave', from: 'umount /var/lib/kubelet/pods/1', to: [] },
    ],
    ['DevicesStay', 'devices that outlive leave', { phase: 'leave', from: 'undevice cni0', to: [] }],
    ['ProcessesStay', 'what join left in the background', { phase: 'join', to: ['background agent --poll'] }],
    [
      'NotRepeatable',
      'what works once',
      { phase: 'join', to: ['if /etc/second write /etc/third', 'write /etc/second'] },
    ],
    [
      'UninstallLeavesBehind',
      'what uninstall forgets',
      { phase: 'uninstall', from: 'remove /usr/bin/kubelet', to: [] },
    ],
  ]
  for (const [reason, what, change] of cases) {
    it(`finds ${what}: ${reason}`, async () => {
      assert.equal((await findingsOf(1, change))[0], reason)
    })
  }
  it('shows the last words of a phase that failed, and goes no further', async () => {
    const { steps, sections } = await prove(
      { phase: 'join', to: ['say no such host', 'fail 3'] },
      { proofs: [1] },
    )
    assert.equal(sections, undefined)
    assert.deepEqual(steps.at(-1)?.findings, [
      { reason: 'PhaseFails', message: 'join ended with exit code 3', lines: ['joined', 'no such host'] },
    ])
  })
  it('lets leave and uninstall keep what proof.yaml says', async () => {
    const kept = { leaveKeeps: ['containers', 'mounts', 'devices'], uninstallKeeps: ['/usr/bin'] }
    for (const from of ['contain 0', 'umount /var/lib/kubelet/pods/1', 'undevice cni0']) {
      assert.doesNotMatch(String(await findingsOf(1, { phase: 'leave', from, to: [] }, kept)), /Stay/)
    }
    const forgetful: ScriptChange = { phase: 'uninstall', from: 'remove /usr/bin/kubelet', to: [] }
    assert.deepEqual(await findingsOf(1, forgetful, kept), [])
  })
  it('finds nothing where proof.txt says the same, and the lines where it does not', async () => {
    const { sections } = await prove(undefined, { proofs: [1] })
    const golden = formatGolden(sections ?? new Map())
    assert.deepEqual((await prove(undefined, { proofs: [1], golden })).reasons, [])
    const change: ScriptChange = { phase: 'join', from: 'write /run/config', to: ['write /run/config 600 a'] }
    const { steps } = await prove(change, { proofs: [1], golden })
    assert.deepEqual(stepWith(steps, 'join').findings, [
      {
        reason: 'GoldenDiffers',
        message: 'section "debian: join" of proof.txt is not what was found',
        lines: [
          '      certificate',
          '- + file /run/config 644',
          '+ + file /run/config 600',
          '+     a',
          '  ~ unit containerd.service disabled, inactive -> enabled, active',
        ],
      },
    ])
  })
  it('says what a membership leaves behind', async () => {
    const { steps } = await prove(
      { phase: 'leave', from: 'remove /etc/kubelet.conf', to: [] },
      { proofs: [1] },
    )
    assert.deepEqual(stepWith(steps, 'leave').notes, [
      'what a membership leaves behind: + file /etc/kubelet.conf 600',
    ])
  })
})
