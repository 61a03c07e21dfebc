import { testRule } from '../../../../test/support/test-rule.ts'
import { dropsRegistration } from './drops-registration.ts'

testRule(dropsRegistration, {
  finds: [
    {
      title: 'EKS-07: a leave after which every join is a cold one',
      phase: 'leave',
      script: [
        'rm -rf /var/lib/amazon/ssm',
        'nodeadm uninstall',
        'aws ssm deregister-managed-instance --instance-id "$id"',
      ],
      found: [
        '1: leave deletes the SSM registration',
        '2: leave deregisters the host',
        '3: leave deregisters the host',
      ],
    },
    {
      title: 'EKS-13: an uninstall that leaves the identity in the account',
      phase: 'uninstall',
      script: ['rm -rf /var/lib/amazon/', 'nodeadm uninstall'],
      found: ['1: the SSM registration is deleted without deregistering'],
    },
  ],
  passes: [
    {
      title: 'a leave that keeps it',
      phase: 'leave',
      script: ['systemctl disable --now kubelet', 'rm -f /var/lib/amazon/ssm/ipc/x'],
    },
    {
      title: 'an uninstall that deregisters first',
      phase: 'uninstall',
      script: ['nodeadm uninstall', 'rm -rf /var/lib/amazon/ssm'],
    },
    {
      title: 'a join that repairs half a registration',
      phase: 'join',
      script: ['rm -f /var/lib/amazon/ssm/registration'],
    },
  ],
})
