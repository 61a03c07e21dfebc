#!/usr/bin/env bash
# Makes an installed demo host a node: TLS bootstrap with the token, as kubelets do it. A host that left under the same node
# name keeps its certificate and needs no new one.
set -euo pipefail
export -n KPSSH_BOOTSTRAP_TOKEN # no program that is started from here inherits it
root=${KPSSH_ROOT:-}
etc=$root/etc/kubernetes
: "${KPSSH_CLUSTER_ENDPOINT:?}" "${KPSSH_CLUSTER_CA_B64:?}" "${KPSSH_BOOTSTRAP_TOKEN:?}" "${KPSSH_NODE_NAME:?}"

systemctl stop kubelet

if [[ ! -f $etc/node-name || $(<"$etc/node-name") != "$KPSSH_NODE_NAME" ]]; then
  rm -f "$etc/kubelet.conf"
fi

umask 077
mkdir -p "$etc/pki" "$root/etc/systemd/system/kubelet.service.d"
printf '%s' "$KPSSH_NODE_NAME" >"$etc/node-name"
printf '%s' "$KPSSH_CLUSTER_CA_B64" | base64 -d >"$etc/pki/ca.crt"
# The token is quoted: one that looks like a number would not be read as text.
cat >"$etc/bootstrap-kubelet.conf" <<CONFIG
apiVersion: v1
kind: Config
clusters:
  - name: cluster
    cluster:
      server: "$KPSSH_CLUSTER_ENDPOINT"
      certificate-authority: "$etc/pki/ca.crt"
users:
  - name: bootstrap
    user:
      token: "$KPSSH_BOOTSTRAP_TOKEN"
contexts:
  - name: bootstrap
    context: {cluster: cluster, user: bootstrap}
current-context: bootstrap
CONFIG

flags="--kubeconfig=$etc/kubelet.conf --bootstrap-kubeconfig=$etc/bootstrap-kubelet.conf"
flags+=" --hostname-override=$KPSSH_NODE_NAME"
[[ -z ${KPSSH_NODE_ADDRESS:-} ]] || flags+=" --node-ip=$KPSSH_NODE_ADDRESS"
[[ -z ${KPSSH_PROVIDER_ID:-} ]] || flags+=" --provider-id=$KPSSH_PROVIDER_ID"
[[ -z ${KPSSH_NODE_LABELS:-} ]] || flags+=" --node-labels=$KPSSH_NODE_LABELS"
[[ -z ${KPSSH_TAINTS:-} ]] || flags+=" --register-with-taints=$KPSSH_TAINTS"
cat >"$root/etc/systemd/system/kubelet.service.d/90-kpssh.conf" <<DROPIN
[Service]
ExecStart=
ExecStart=$root/usr/local/bin/kubelet $flags
DROPIN

systemctl daemon-reload
systemctl enable --now kubelet

crashes=0
for ((tenth = 0; tenth < ${KPSSH_VAR_joinSeconds:-30} * 10; tenth++)); do
  if [[ -s $etc/kubelet.conf ]]; then
    rm -f "$etc/bootstrap-kubelet.conf"
    echo "The node has its certificate"
    exit 0
  fi
  [[ $(systemctl is-active kubelet) == active ]] || ((++crashes < 3)) || break
  sleep 0.1
done
echo "The kubelet got no certificate. Its last words:" >&2
journalctl -u kubelet -n 20 --no-pager >&2
exit 1
