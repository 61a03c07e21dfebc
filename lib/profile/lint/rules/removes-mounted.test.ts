import { testRule } from '../../../../test/support/test-rule.ts'
import { removesMounted } from './removes-mounted.ts'

testRule(removesMounted, {
  finds: [
    {
      title: 'EKS-01: directories of the kubelet, with whatever is mounted below them',
      phase: 'leave',
      script: [
        'sudo rm -rf /var/lib/kubelet/',
        'rm -r --one-file-system /var/lib/kubelet/{pods,pki}',
        'data=/var/lib/kubelet',
        'rm -Rf "${KPSSH_ROOT:-}$data"/plugins/*',
        'find /var/lib/kubelet -mindepth 1 -delete',
      ],
      found: [
        '1: /var/lib/kubelet is deleted, whatever is mounted below it',
        '2: /var/lib/kubelet/pods is deleted, whatever is mounted below it',
        '4: /var/lib/kubelet/plugins/* is deleted, whatever is mounted below it',
        '5: /var/lib/kubelet is deleted, whatever is mounted below it',
      ],
    },
    {
      title: 'everything above them',
      phase: 'uninstall',
      script: [
        'rm -rf --no-preserve-root /',
        'rm -rf /*',
        'rm -rf /var/* /var/lib/*',
        'rm -rf /var/lib/kubelet/*',
      ],
      found: [
        '1: / is deleted, whatever is mounted below it',
        '2: /* is deleted, whatever is mounted below it',
        '3: /var/* is deleted, whatever is mounted below it',
        '3: /var/lib/* is deleted, whatever is mounted below it',
        '4: /var/lib/kubelet/* is deleted, whatever is mounted below it',
      ],
    },
    {
      title: 'mounts that are looked at too late',
      phase: 'uninstall',
      script: ['rm -rf /var/lib/kubelet', 'umount /var/lib/kubelet/pods/x'],
      found: ['1: /var/lib/kubelet is deleted, whatever is mounted below it'],
    },
  ],
  passes: [
    {
      title: 'what was unmounted before',
      phase: 'leave',
      script: [
        "awk '{print $2}' /proc/mounts | grep ^/var/lib/kubelet | xargs -r -n1 umount",
        'rm -rf /var/lib/kubelet/pods',
      ],
    },
    {
      title: 'what is refused while something is mounted',
      phase: 'uninstall',
      script: [
        'if grep -q " /var/lib/kubelet" /proc/self/mountinfo; then exit 1; fi',
        'rm -rf /var/lib/kubelet',
      ],
    },
    {
      title: 'directories that nothing is mounted into',
      phase: 'join',
      script: [
        'rm -rf /var/lib/kubelet/pki /etc/kubernetes /var/lib/cni',
        'rm -f /var/lib/kubelet/config.yaml',
        'rm /var/lib/kubelet/cpu_manager_state',
        'rm -rf "$HOME"/* "$(mktemp -d)"/',
      ],
    },
  ],
})
