import { testRule } from '../../../../test/support/test-rule.ts'
import { restartsSSH } from './restarts-ssh.ts'

testRule(restartsSSH, {
  finds: [
    {
      title: 'SSH-30: a restart of the SSH server by any of its names',
      phase: 'install',
      script: [
        'systemctl restart sshd',
        'systemctl try-restart ssh.service',
        'service ssh restart',
        'killall sshd',
      ],
      found: [
        '1: the SSH server is restarted or stopped',
        '2: the SSH server is restarted or stopped',
        '3: the SSH server is restarted or stopped',
        '4: the SSH server is restarted or stopped',
      ],
    },
  ],
  passes: [
    { title: 'a reload', phase: 'install', script: ['sshd -t && systemctl reload ssh'] },
    {
      title: 'other units',
      phase: 'install',
      script: ['systemctl restart containerd', 'systemctl is-active sshd'],
    },
  ],
})
