#!/usr/bin/env bash
# Takes the node out, for good until the next join: the kubelet is stopped and does not come back with a reboot. What was
# installed stays, and so does the certificate, so that join alone connects the host again.
set -euo pipefail
root=${KPSSH_ROOT:-}

rm -f "$root/etc/kubernetes/bootstrap-kubelet.conf"
# A unit that is gone or masked cannot be disabled, which is as good; its link would count again without the mask.
systemctl disable --now kubelet || systemctl stop kubelet || true
rm -f "$root"/etc/systemd/system/*.wants/kubelet.service
if systemctl is-active --quiet kubelet; then
  echo "The kubelet still runs" >&2
  exit 1
fi
echo "The kubelet is stopped and disabled"
