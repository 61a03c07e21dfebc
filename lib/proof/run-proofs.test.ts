import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { prove, stepWith } from '../../test/support/worlds/proof-world.ts'
import { parseProofSettings } from './proof-settings.ts'
import { makeProofSubject } from './run-proofs.ts'

describe('runProofs', () => {
  it('finds nothing in a profile that keeps every rule, and tells what it did', async () => {
    const { steps, reasons } = await prove()
    assert.deepEqual(reasons, [])
    assert.deepEqual(
      steps.map(({ proof, title }) => `${proof} ${title}`),
      [
        '1 install',
        '1 join',
        '1 leave',
        '1 join again',
        '1 leave again',
        '1 uninstall',
        '2 install: where it can be interrupted',
        '2 install: killed at 6 points and run again',
        '2 join: where it can be interrupted',
        '2 join: killed at 12 points and run again',
        '2 leave after a join that was killed at 12 points',
        '2 leave: where it can be interrupted',
        '2 leave: killed at 9 points and run again',
        '2 uninstall: where it can be interrupted',
        '2 uninstall: killed at 4 points and run again',
        '3 install, reboot',
        '3 leave, reboot, join',
        '3 join, reboot',
        '4 leave where nothing was ever installed',
        '4 leave where the agent was removed by hand',
        '4 leave where the agent is masked',
        '5 install: output, arguments and environment of programs',
        '5 join: output, arguments and environment of programs',
        '5 leave: output, arguments and environment of programs',
        '5 install: files, at every step',
        '5 join: files, at every step',
      ],
    )
  })
  it('tells what each phase changes', async () => {
    const { sections } = await prove(undefined, { proofs: [1] })
    assert.deepEqual(
      [...(sections ?? [])],
      [
        [
          'debian: install',
          [
            '+ file /usr/bin/kubelet 755',
            '    binary',
            '+ file /usr/lib/systemd/system/kubelet.service 644',
            '    ExecStart=/usr/bin/kubelet',
            '+ unit containerd.service disabled, inactive',
            '+ unit kubelet.service disabled, inactive',
          ].join('\n'),
        ],
        [
          'debian: join',
          [
            '+ file /etc/kubelet.conf 600',
            '    certificate',
            '+ file /run/config 644',
            '~ unit containerd.service disabled, inactive -> enabled, active',
            '~ unit kubelet.service disabled, inactive -> enabled, active',
            '+ mount /var/lib/kubelet/pods/1',
            '+ device cni0',
            '~ containers 0 -> 1',
          ].join('\n'),
        ],
        [
          'debian: leave',
          [
            '- file /etc/kubelet.conf',
            '- file /run/config',
            '~ unit containerd.service enabled, active -> disabled, inactive',
            '~ unit kubelet.service enabled, active -> disabled, inactive',
            '- mount /var/lib/kubelet/pods/1',
            '- device cni0',
            '~ containers 1 -> 0',
          ].join('\n'),
        ],
        ['debian: what a membership leaves behind', ''],
        [
          'debian: uninstall',
          [
            '- file /usr/bin/kubelet',
            '- file /usr/lib/systemd/system/kubelet.service',
            '- unit containerd.service',
            '- unit kubelet.service',
          ].join('\n'),
        ],
        ['debian: what uninstall leaves behind', ''],
      ],
    )
  })
  it('prepares and steers the fresh machine as proof.yaml says', async () => {
    const settings = { machine: 'write /etc/present', steer: { curl: 'exit 22' } }
    const { machines, sections, reasons } = await prove(
      { phase: 'install', to: ['unless /etc/present fail 3'] },
      { settings },
    )
    assert.deepEqual(reasons, [])
    assert.deepEqual([...machines.steered], [['curl', 'exit 22']])
    assert.doesNotMatch(sections?.get('debian: install') ?? '', /present/)
  })
  for (const phase of ['install', 'join', 'leave', 'uninstall'] as const) {
    it(`tells of ${phase} that destroys its machine, and goes on with others`, async () => {
      const { steps } = await prove({ phase, to: ['destroy'] })
      const [finding] = stepWith(steps, phase).findings
      assert.equal(finding?.reason, 'PhaseFails')
      assert.equal(finding.message, `${phase} destroyed its machine`)
      assert.equal(steps.at(-1)?.title, 'join: files, at every step')
    })
  }
  it('proves a profile without uninstall', () => {
    const profile = { metadata: { name: 'x' }, spec: { scripts: { install: 'i', join: 'j', leave: 'l' } } }
    const { runs, agentUnits } = makeProofSubject(profile, parseProofSettings('proof.yaml', undefined))
    assert.deepEqual(Object.keys(runs), ['install', 'join', 'leave'])
    assert.deepEqual(agentUnits, ['kubelet.service'])
  })
})
