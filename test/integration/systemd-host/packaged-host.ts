// The unit of a kubelet from a package, with the drop-in of kubeadm's: an earlier one than ours, which must not win.
export const packagedKubelet = {
  '/usr/lib/systemd/system/kubelet.service': `[Unit]
Description=kubelet from a package
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`,
  '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf': `[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/nowhere --kubeconfig=/nowhere"
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS
`,
}

/** What uninstall does not give back where packages were there before install. */
export const leftWithPackages = [
  // The package of the network plugins had made them, empty.
  '- /etc/cni',
  '- /etc/cni/net.d',
  // Switched off by install; whoever had it on before is not remembered.
  '- /etc/systemd/system/multi-user.target.wants/containerd.service',
  // Made by a plugin, empty now: the package of the plugins is not the profile's, and neither is its folder.
  '+ /var/lib/cni',
  '~ containerd.service enabled active -> disabled inactive',
]
