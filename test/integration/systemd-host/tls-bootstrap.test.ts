import { proveOnHost } from './host-proof.ts'
import { leftWithPackages } from './packaged-host.ts'

await proveOnHost({
  profile: 'tls-bootstrap',
  // A pre-baked host: the kubelet is there, and came without a unit.
  host: { programs: { '/usr/bin/kubelet': 'kubelet' }, files: { '/etc/stand-in/pods': '' } },
  // Swap is the machine's own: no test may ask for it to be off.
  vars: { k8sMinor: '1.36', swap: 'allow' },
  units: ['containerd.service', 'kubelet.service'],
  providerID: 'kpssh://pool/one',
  credentials: [
    '/etc/kubernetes/kubelet.conf',
    '/etc/kubernetes/pki/ca.crt',
    '/etc/kubernetes/kpssh-kubelet.yaml',
    '/var/lib/kubelet/pki/kubelet.key',
  ],
  kept: ['/opt/cni/bin/bridge', '/etc/containerd/config.toml', '/etc/systemd/system/kubelet.service'],
  leftByUninstall: leftWithPackages,
})
