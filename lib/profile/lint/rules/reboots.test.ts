import { testRule } from '../../../../test/support/test-rule.ts'
import { reboots } from './reboots.ts'

testRule(reboots, {
  finds: [
    {
      title: 'SSH-30: every way to take the host down',
      phase: 'install',
      script: [
        'sudo reboot',
        'shutdown -r now',
        'systemctl --no-block reboot',
        'init 6',
        '[[ -e /x ]] || poweroff',
      ],
      found: [
        '1: the host goes down in the middle of the phase',
        '2: the host goes down in the middle of the phase',
        '4: the host goes down in the middle of the phase',
        '5: the host goes down in the middle of the phase',
        '3: the host goes down in the middle of the phase',
      ],
    },
  ],
  passes: [
    {
      title: 'words about it',
      phase: 'install',
      script: [
        'echo "reboot first" >&2',
        '# reboot',
        'systemctl is-enabled reboot.target || true',
        'touch /run/reboot',
      ],
    },
    { title: 'a shutdown that is called off', phase: 'install', script: ['shutdown -c'] },
    { title: 'a verb that nobody knows', phase: 'install', script: ['systemctl "$VERB" kubelet'] },
  ],
})
