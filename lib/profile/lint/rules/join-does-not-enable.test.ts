import { testRule } from '../../../../test/support/test-rule.ts'
import { joinDoesNotEnable } from './join-does-not-enable.ts'

const leave = 'systemctl disable --now kubelet\nsystemctl disable --now containerd\n'

testRule(joinDoesNotEnable, {
  finds: [
    {
      title: 'a unit that is only started',
      script: ['systemctl enable --now containerd', 'systemctl start kubelet'],
      others: { leave },
      found: ['2: leave disables kubelet and join does not enable it'],
    },
    {
      title: 'units that join forgets, at its first command',
      script: ['# join', 'true'],
      others: { leave: 'systemctl mask --now kubelet\n' },
      found: ['2: leave masks kubelet and join does not unmask it'],
    },
  ],
  passes: [
    { title: 'both enabled', script: ['systemctl enable --now containerd kubelet'], others: { leave } },
    {
      title: 'both enabled in a loop',
      script: ['for unit in containerd kubelet; do systemctl enable "$unit.service"; done'],
      others: { leave },
    },
    {
      title: 'a mask that is taken off',
      script: ['systemctl unmask kubelet', 'systemctl enable --now kubelet'],
      others: { leave: 'systemctl mask --now kubelet\n' },
    },
    {
      title: 'units of a tunnel, which another rule is about',
      script: ['true'],
      others: { leave: 'systemctl disable --now wg-quick@wg0\n' },
    },
    {
      title: 'units whose names nobody knows',
      script: ['true'],
      others: { leave: 'systemctl disable --now "$(cat /etc/agent)"\n' },
    },
    { title: 'a profile without leave', script: ['true'] },
  ],
})
