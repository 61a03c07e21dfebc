#!/usr/bin/env bash
# Takes the node out, for good until the next join: the kubelet is stopped and does not come back with a reboot. What was
# installed stays, and so does the certificate, so that join alone connects the host again.
set -euo pipefail
root=${KPSSH_ROOT:-}

rm -f "$root/etc/kubernetes/bootstrap-kubelet.conf"
if [[ -f $root/etc/systemd/system/kubelet.service ]]; then
  systemctl disable --now kubelet
fi
if systemctl is-active --quiet kubelet; then
  echo "The kubelet still runs" >&2
  exit 1
fi
echo "The kubelet is stopped and disabled"
