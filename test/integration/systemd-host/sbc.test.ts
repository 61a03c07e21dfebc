import { proveOnHost } from './host-proof.ts'
import { leftWithPackages, packagedKubelet } from './packaged-host.ts'

await proveOnHost({
  profile: 'sbc',
  host: {
    programs: { '/usr/bin/kubelet': 'kubelet' },
    files: { '/etc/stand-in/pods': '', ...packagedKubelet },
  },
  vars: { k8sMinor: '1.36', swap: 'allow' },
  units: ['containerd.service', 'kubelet.service'],
  providerID: 'kpssh://pool/one',
  credentials: [
    '/etc/kubernetes/kubelet.conf',
    '/etc/kubernetes/pki/ca.crt',
    '/etc/kubernetes/kpssh-kubelet.yaml',
    '/var/lib/kubelet/pki/kubelet.key',
  ],
  kept: ['/opt/cni/bin/bridge', '/etc/containerd/config.toml', '/etc/sysctl.d/90-kpssh.conf'],
  leftByUninstall: leftWithPackages,
})
