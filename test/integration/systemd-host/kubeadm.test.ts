import { proveOnHost } from './host-proof.ts'
import { leftWithPackages, packagedKubelet } from './packaged-host.ts'

await proveOnHost({
  profile: 'kubeadm',
  host: {
    programs: { '/usr/bin/kubelet': 'kubelet', '/usr/bin/kubeadm': 'kubeadm' },
    files: { '/etc/stand-in/pods': '', ...packagedKubelet },
  },
  vars: { k8sMinor: '1.36', swap: 'allow' },
  units: ['containerd.service', 'kubelet.service'],
  providerID: 'kpssh://pool/one',
  credentials: [
    '/etc/kubernetes/kubelet.conf',
    '/etc/kubernetes/pki/ca.crt',
    '/var/lib/kubelet/config.yaml',
    '/var/lib/kubelet/kubeadm-flags.env',
    '/var/lib/kubelet/pki/kubelet.key',
  ],
  kept: ['/opt/cni/bin/bridge', '/etc/systemd/system/kubelet.service.d/90-kpssh.conf'],
  leftByUninstall: leftWithPackages,
})
