#!/usr/bin/env bash
# Takes off what install and join put on a demo host.
set -euo pipefail
root=${KPSSH_ROOT:-}

if [[ -f $root/etc/systemd/system/kubelet.service ]]; then
  systemctl disable --now kubelet
fi
rm -rf "$root/etc/systemd/system/kubelet.service" "$root/etc/systemd/system/kubelet.service.d"
rm -rf "$root/etc/kubernetes" "$root/usr/local/bin/kubelet"
systemctl daemon-reload
echo "The kubelet is gone"
