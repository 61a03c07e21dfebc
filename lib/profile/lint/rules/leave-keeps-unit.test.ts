import { testRule } from '../../../../test/support/test-rule.ts'
import { leaveKeepsUnit } from './leave-keeps-unit.ts'

const startsRuntime = { join: 'systemctl enable --now containerd kubelet\n' }

testRule(leaveKeepsUnit, {
  finds: [
    {
      title: 'JOIN-11: an agent that is stopped and comes back with the next boot',
      phase: 'leave',
      script: ['set -e', 'systemctl stop kubelet'],
      found: ['2: leave stops kubelet but does not disable it'],
    },
    {
      title: 'a runtime that join starts and leave forgets',
      phase: 'leave',
      script: ['systemctl disable --now kubelet', 'systemctl stop containerd.service'],
      others: startsRuntime,
      found: ['2: leave stops containerd but does not disable it'],
    },
    {
      title: 'a runtime that its package switches on',
      phase: 'leave',
      script: ['systemctl disable --now kubelet'],
      others: { install: 'apt-get install -y kubelet containerd.io\n' },
      found: ['1: leave neither stops nor disables containerd'],
    },
    {
      title: 'an agent that is disabled and goes on',
      phase: 'leave',
      script: ['systemctl disable kubelet'],
      found: ['1: leave disables kubelet but does not stop it'],
    },
    {
      title: 'a leave that does nothing about it, at its first command',
      phase: 'leave',
      script: ['# systemctl disable --now kubelet', 'echo "systemctl disable --now kubelet"'],
      found: ['2: leave neither stops nor disables kubelet'],
    },
    {
      title: 'agents under the names that the profile gives them',
      phase: 'leave',
      script: ['systemctl disable --now kubelet'],
      agentUnits: ['k3s-agent'],
      found: ['1: leave neither stops nor disables k3s-agent'],
    },
  ],
  passes: [
    { title: 'one step', phase: 'leave', script: ['systemctl disable --now kubelet || true'] },
    { title: 'two steps', phase: 'leave', script: ['systemctl stop kubelet', 'systemctl disable kubelet'] },
    { title: 'a mask', phase: 'leave', script: ['systemctl mask --now kubelet.service'] },
    {
      title: 'sudo, options and names of several units',
      phase: 'leave',
      script: ['sudo -n systemctl --quiet --now disable kubelet.service containerd.service 2>/dev/null'],
      others: startsRuntime,
    },
    {
      title: 'units in a loop, an array and a function',
      phase: 'leave',
      script: [
        'units=(kubelet)',
        'units+=(containerd)',
        'off() {',
        '  local unit',
        '  for unit; do systemctl disable --now "$unit"; done',
        '}',
        'off "${units[@]}"',
      ],
      others: startsRuntime,
    },
    {
      title: 'a command that is handed to a function',
      phase: 'leave',
      script: ['retry() { local n=$1; shift; "$@" || "$@"; }', 'retry 3 systemctl disable --now kubelet'],
    },
    {
      title: 'units that only the host knows',
      phase: 'leave',
      script: [
        'systemctl list-units --plain | while read -r unit _; do systemctl disable --now "$unit"; done',
      ],
    },
    {
      title: 'a link that is deleted by hand',
      phase: 'leave',
      script: ['rm -f /etc/systemd/system/multi-user.target.wants/kubelet.service', 'pkill -x kubelet'],
    },
    {
      title: 'another shell that is told to',
      phase: 'leave',
      script: ["sudo bash <<'EOF'", 'systemctl disable --now kubelet', 'EOF'],
    },
    { title: 'any other phase', phase: 'join', script: ['systemctl stop kubelet'] },
    {
      title: 'a runtime that is none of ours',
      phase: 'leave',
      script: ['systemctl disable --now kubelet'],
      others: { join: 'systemctl enable --now kubelet\nsystemctl is-active containerd\n' },
    },
  ],
})
