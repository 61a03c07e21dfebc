import { testRule } from '../../../../test/support/test-rule.ts'
import { leaveRemovesInstalled } from './leave-removes-installed.ts'

testRule(leaveRemovesInstalled, {
  finds: [
    {
      title: 'programs and network plugins',
      phase: 'leave',
      script: [
        'rm -rf /opt/cni/',
        'rm -f /usr/{bin,local/bin}/kubelet',
        'for plugin in bridge host-local; do rm "/usr/lib/cni/$plugin"; done',
      ],
      found: [
        '1: leave removes /opt/cni',
        '2: leave removes /usr/bin/kubelet',
        '2: leave removes /usr/local/bin/kubelet',
        '3: leave removes /usr/lib/cni/bridge',
        '3: leave removes /usr/lib/cni/host-local',
      ],
    },
    {
      title: 'packages',
      phase: 'leave',
      script: [
        'apt-get -y -o Dpkg::Use-Pty=0 purge kubelet',
        'dnf -y remove kubelet',
        'rpm -e kubelet',
        'snap remove kubelet',
      ],
      found: [
        '1: leave removes packages with apt-get',
        '2: leave removes packages with dnf',
        '3: leave removes packages with rpm',
        '4: leave removes packages with snap',
      ],
    },
    {
      title: 'what takes off everything by another name',
      phase: 'leave',
      script: ['/usr/local/bin/k3s-agent-uninstall.sh'],
      found: ['1: leave removes packages with k3s-agent-uninstall.sh'],
    },
  ],
  passes: [
    {
      title: 'credentials, network state and caches',
      phase: 'leave',
      script: [
        'rm -rf /var/lib/kubelet/pki /etc/cni/net.d/* /var/lib/cni/networks /var/cache/apt',
        'rm -f /etc/kubernetes/kubelet.conf /etc/systemd/system/kubelet.service.d/90-kpssh.conf',
      ],
    },
    {
      title: 'programs that join wrote and install did not',
      phase: 'leave',
      script: ['rm -f /usr/local/bin/node-watch'],
      others: { install: 'true\n', join: 'cat >/usr/local/bin/node-watch <<EOF\nEOF\n' },
    },
    {
      title: 'an upgrade that is held back',
      phase: 'leave',
      script: ['apt-mark unhold kubelet', 'dnf mark remove kubelet'],
    },
    {
      title: 'uninstall, which is for it',
      phase: 'uninstall',
      script: ['rm -rf /opt/cni', 'apt-get -y purge kubelet'],
    },
  ],
})
