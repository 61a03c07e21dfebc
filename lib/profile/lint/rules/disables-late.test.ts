import { testRule } from '../../../../test/support/test-rule.ts'
import { disablesLate } from './disables-late.ts'

testRule(disablesLate, {
  finds: [
    {
      title: 'JOIN-11: a unit that is stopped first and disabled at the end',
      phase: 'leave',
      script: [
        'systemctl stop kubelet',
        'systemctl stop containerd',
        'rm -rf /etc/kubernetes',
        'systemctl disable kubelet containerd',
      ],
      found: [
        '1: kubelet is stopped here and disabled only in line 4',
        '2: containerd is stopped here and disabled only in line 4',
      ],
    },
    {
      title: 'the same in functions',
      phase: 'leave',
      script: [
        'down() { systemctl stop kubelet; }',
        'main() {',
        '  down',
        '  umount /mnt',
        '  systemctl disable kubelet',
        '}',
        'main',
      ],
      found: ['1: kubelet is stopped here and disabled only in line 5'],
    },
  ],
  passes: [
    {
      title: 'one step',
      phase: 'leave',
      script: ['systemctl disable --now kubelet', 'rm -rf /etc/kubernetes'],
    },
    {
      title: 'two steps with nothing between them that can fail',
      phase: 'leave',
      script: ['systemctl stop kubelet', 'echo stopped', 'systemctl disable kubelet'],
    },
    {
      title: 'a stop after disabling, for a unit that is masked',
      phase: 'leave',
      script: [
        'systemctl disable --now kubelet || systemctl stop kubelet',
        'umount /mnt',
        'systemctl disable kubelet',
      ],
    },
    {
      title: 'a loop over both steps',
      phase: 'leave',
      script: [
        'for unit in kubelet containerd; do',
        '  systemctl stop "$unit"',
        '  systemctl disable "$unit"',
        'done',
      ],
    },
    {
      title: 'join, which stops before it starts',
      phase: 'join',
      script: ['systemctl stop kubelet', 'cp a b', 'systemctl enable --now kubelet'],
    },
  ],
})
