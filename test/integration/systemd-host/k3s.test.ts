import { proveOnHost } from './host-proof.ts'

await proveOnHost({
  profile: 'k3s',
  host: { programs: { '/usr/local/bin/k3s': 'k3s' } },
  vars: { k3sVersion: 'v1.36.2+k3s1' },
  secrets: (cluster) => ({ token: cluster.mintToken() }),
  units: ['k3s-agent.service'],
  providerID: 'kpssh://pool/one',
  credentials: [
    '/etc/rancher/k3s/kpssh-token',
    '/etc/rancher/k3s/config.yaml.d/90-kpssh.yaml',
    '/var/lib/rancher/k3s/agent/client-kubelet.crt',
    '/var/lib/rancher/k3s/agent/client-kubelet.key',
    '/var/lib/rancher/k3s/agent/kubelet.kubeconfig',
  ],
  kept: ['/etc/rancher/node/password', '/usr/local/bin/k3s', '/etc/systemd/system/k3s-agent.service'],
  // The data of a k3s that was there before install is not the profile's to remove.
  leftByUninstall: [
    '+ /etc/rancher',
    '+ /etc/rancher/node',
    '+ /etc/rancher/node/password',
    '+ /var/lib/rancher',
    '+ /var/lib/rancher/k3s',
    '+ /var/lib/rancher/k3s/agent',
  ],
})
