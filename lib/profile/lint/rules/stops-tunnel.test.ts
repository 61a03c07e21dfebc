import { testRule } from '../../../../test/support/test-rule.ts'
import { stopsTunnel } from './stops-tunnel.ts'

testRule(stopsTunnel, {
  finds: [
    {
      title: 'SSH-15: VPN units and devices that the session may ride on',
      phase: 'leave',
      script: [
        'systemctl stop wg-quick@wg0 || true',
        'systemctl disable --now tailscaled',
        'wg-quick down wg0',
        'for device in cni0 cilium_wg0; do ip link del "$device"; done',
        'ip link set tun0 down',
      ],
      found: [
        '1: a VPN device is taken down that the session may ride on',
        '2: a VPN device is taken down that the session may ride on',
        '3: a VPN device is taken down that the session may ride on',
        '4: a VPN device is taken down that the session may ride on',
        '5: a VPN device is taken down that the session may ride on',
      ],
    },
  ],
  passes: [
    {
      title: 'devices of the network plugin',
      phase: 'leave',
      script: [
        'for device in cni0 flannel.1 kube-bridge cilium_host cilium_vxlan; do ip link del "$device"; done',
      ],
    },
    { title: 'devices that nobody knows', phase: 'leave', script: ['ip link delete dev "$1"'] },
    {
      title: 'a look at it',
      phase: 'leave',
      script: ['ip link show wg0', 'systemctl is-active wg-quick@wg0', 'tailscale status'],
    },
    { title: 'other units', phase: 'leave', script: ['systemctl disable --now kubelet'] },
  ],
})
