#!/usr/bin/env bash
# Makes an installed host a node: the kubelet asks for a certificate with the bootstrap token. Credentials and network state
# of an earlier membership are removed first, so that every join begins alike, also one that comes after half of another.
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

etc=/etc/kubernetes
dropin=/etc/systemd/system/kubelet.service.d/90-kpssh.conf # kubeadm's own is called 10-kubeadm.conf; the last one wins
minor=${KPSSH_VAR_k8sMinor:-}
wanted_driver=${KPSSH_VAR_cgroupDriver:-}
swap=${KPSSH_VAR_swap:-fail}
join_seconds=${KPSSH_VAR_joinSeconds:-120}
extra=${KPSSH_VAR_kubeletConfigExtra:-}
arguments=${KPSSH_VAR_kubeletExtraArgs:-}
printf -v begun '%(%s)T' -1

main() {
  hide_secrets
  check
  end_pods
  forget_membership
  remove_network
  turn_swap_off
  write_credentials
  write_configuration
  start
  wait_for_certificate
}

# What can be known to go wrong is said before anything is changed.
check() {
  need KPSSH_CLUSTER_ENDPOINT KPSSH_CLUSTER_CA_B64 KPSSH_BOOTSTRAP_TOKEN KPSSH_NODE_NAME KPSSH_VAR_k8sMinor
  check_var swap "$swap" 'fail|off|allow'
  check_var joinSeconds "$join_seconds" '[0-9]+'
  check_var serverTLSBootstrap "${KPSSH_VAR_serverTLSBootstrap:-false}" 'true|false'
  [[ $arguments != *$'\n'* ]] || fail VarInvalid "kubeletExtraArgs has more than one line"
  if [[ $(kubelet_minor) != "$minor" ]] || ! type -P containerd >/dev/null; then
    fail NotInstalled "there is no kubelet $minor with containerd on this host, run install first"
  fi
  check_clock
  check_swap
  check_disk /var/lib 512
  check_driver
  ca=$(base64 -d <<<"$KPSSH_CLUSTER_CA_B64" 2>/dev/null) || true
  [[ $ca == *'BEGIN CERTIFICATE'* ]] || fail CaInvalid "KPSSH_CLUSTER_CA_B64 is not a PEM bundle in base64"
}

# Of another membership, or of half of this one: their network is about to go.
end_pods() {
  systemctl stop kubelet || true
  remove_pods
  systemctl stop containerd || true # which reads its network configuration anew when it starts
  kill_containers
  unmount_below /var/lib/kubelet /run/containerd/io.containerd.runtime.v2.task/k8s.io /run/containerd/io.containerd.grpc.v1.cri
}

forget_membership() {
  rm -f $etc/kubelet.conf $etc/bootstrap-kubelet.conf
  require_no_mounts /var/lib/kubelet/pki
  rm -rf --one-file-system /var/lib/kubelet/pki
}

# The halves of a token may look like numbers, which YAML would take them for without quotes.
write_credentials() {
  mkdir -p $etc/pki
  put $etc/pki/ca.crt <<<"$ca"
  (umask 077 && put $etc/bootstrap-kubelet.conf) <<CONFIG
apiVersion: v1
kind: Config
clusters:
  - name: cluster
    cluster: {server: "$KPSSH_CLUSTER_ENDPOINT", certificate-authority: $etc/pki/ca.crt}
users:
  - name: bootstrap
    user: {token: "$KPSSH_BOOTSTRAP_TOKEN"}
contexts:
  - name: bootstrap
    context: {cluster: cluster, user: bootstrap}
current-context: bootstrap
CONFIG
}

write_configuration() {
  local flags
  mkdir -p "${dropin%/*}" /var/lib/kubelet /etc/cni/net.d
  rm -f "${dropin%/*}/10-kpssh.conf" # would be overridden by kubeadm's
  kubelet_configuration | put $etc/kpssh-kubelet.yaml
  flags=$(kubelet_flags)
  flags=${flags//%/%%} # for systemd, a percent sign and a dollar are the beginning of something else
  kubelet_command="$(type -P kubelet) ${flags//\$/\$\$}"
  put "$dropin" <<DROPIN
[Service]
ExecStart=
ExecStart=$kubelet_command
DROPIN
}

kubelet_configuration() {
  echo 'apiVersion: kubelet.config.k8s.io/v1beta1'
  echo 'kind: KubeletConfiguration'
  setting authentication "{anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $etc/pki/ca.crt}}"
  setting authorization '{mode: Webhook}'
  setting cgroupDriver "$driver"
  setting clusterDNS "$(quoted_list "${KPSSH_VAR_clusterDNS:-10.96.0.10}")"
  setting clusterDomain cluster.local
  setting containerRuntimeEndpoint unix:///run/containerd/containerd.sock
  setting failSwapOn "$([[ $swap == fail ]] && echo true || echo false)"
  setting kubeReserved "$(reserved "${KPSSH_VAR_kubeReserved:-cpu=80m,memory=300Mi}")"
  setting maxPods "${KPSSH_VAR_maxPods:-110}"
  setting rotateCertificates true
  setting serverTLSBootstrap "${KPSSH_VAR_serverTLSBootstrap:-false}"
  # systemd-resolved's own file names a server that pods cannot reach.
  [[ ! -e /run/systemd/resolve/resolv.conf ]] || setting resolvConf /run/systemd/resolve/resolv.conf
  [[ -z $extra ]] || printf '%s\n' "$extra"
}

kubelet_flags() {
  local address=${KPSSH_NODE_ADDRESS:-}
  printf '%s' "--config=$etc/kpssh-kubelet.yaml --kubeconfig=$etc/kubelet.conf" \
    " --bootstrap-kubeconfig=$etc/bootstrap-kubelet.conf --hostname-override=$KPSSH_NODE_NAME"
  ! is_ip_literal "$address" || printf ' --node-ip=%s' "$address"
  [[ -z ${KPSSH_PROVIDER_ID:-} ]] || printf ' --provider-id=%s' "$KPSSH_PROVIDER_ID"
  [[ -z ${KPSSH_NODE_LABELS:-} ]] || printf ' --node-labels=%s' "$KPSSH_NODE_LABELS"
  [[ -z ${KPSSH_TAINTS:-} ]] || printf ' --register-with-taints=%s' "$KPSSH_TAINTS"
  [[ -z $arguments ]] || printf ' %s' "$arguments"
}

start() {
  local effective
  systemctl unmask kubelet containerd
  systemctl daemon-reload
  effective=$(systemctl cat kubelet | grep '^ExecStart=' | tail -n 1) || true
  [[ $effective == "ExecStart=$kubelet_command" ]] ||
    fail KubeletDropInOverridden "a drop-in of the kubelet that sorts after ${dropin##*/} sets ExecStart"
  systemctl enable --now containerd
  systemctl enable --now kubelet
}

wait_for_certificate() {
  local second
  for ((second = 0; second < join_seconds; second++)); do
    if [[ -s $etc/kubelet.conf && $(systemctl is-active kubelet) == active ]]; then
      rm -f $etc/bootstrap-kubelet.conf
      echo "Joined as $KPSSH_NODE_NAME"
      return
    fi
    [[ $(systemctl is-active kubelet) != failed ]] || break
    sleep 1
  done
  explain_kubelet
}

fail() { # fail REASON WORDS: ends the phase with one line that says why
  printf '%s: %s\n' "$1" "$2" >&2
  exit 1
}

# No command that is started from here inherits a secret; this shell still knows them.
hide_secrets() {
  export -n KPSSH_BOOTSTRAP_TOKEN "${!KPSSH_SECRET_@}"
}

need() { # need NAME...: variables without which nothing is begun
  local name
  for name; do
    [[ -n ${!name:-} ]] || fail InputMissing "$name is empty"
  done
}

check_var() { # check_var NAME VALUE PATTERN
  [[ $2 =~ ^($3)$ ]] || fail VarInvalid "$1 is \"$2\", it must match $3"
}

# TLS, tokens and signatures fail on a host whose clock is wrong. Every answer of the API server carries the time, even a
# refusal, so nothing needs to be trusted or sent. Where nobody answers, only a clock that was never set is noticed.
check_clock() {
  local answer now theirs
  printf -v now '%(%s)T' -1
  ((now > 1735689600)) || fail ClockSkew "the clock was never set, it says $(date -u +%F)"
  [[ -n ${KPSSH_CLUSTER_ENDPOINT:-} ]] && type -P curl >/dev/null || return 0
  answer=$(curl -skI --noproxy '*' --max-time 10 "$KPSSH_CLUSTER_ENDPOINT/version" | tr -d '\r' | grep -i '^date: ') || return 0
  theirs=$(date -d "${answer#*: }" +%s) || return 0
  printf -v now '%(%s)T' -1
  ((now - theirs <= 60 && theirs - now <= 60)) || fail ClockSkew "the clock differs from the cluster's by $((now - theirs)) s, set it"
}

check_disk() { # check_disk DIRECTORY MIB
  local free
  free=$(df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }')
  ((free >= $2)) || fail DiskFull "$1 has $free MiB left, $2 MiB are needed"
}

check_swap() {
  [[ $swap != fail ]] || ! swap_is_on || fail SwapOn 'swap is on, switch it off or set the var swap to "off" or "allow"'
}

swap_is_on() {
  local lines
  [[ -r /proc/swaps ]] && mapfile -t lines </proc/swaps && ((${#lines[@]} > 1))
}

turn_swap_off() { # until the next boot; /etc/fstab is not ours
  [[ $swap != off ]] || ! swap_is_on || swapoff -a
}

check_driver() { # a kubelet and a containerd that disagree start pods and lose them again
  driver=$(runtime_driver)
  [[ -z $wanted_driver || $wanted_driver == "$driver" ]] ||
    fail CgroupDriverMismatch "containerd uses $driver, the var cgroupDriver says $wanted_driver"
}

runtime_driver() { # the cgroup driver that containerd is configured for
  local config
  config=$(containerd config dump) || fail ContainerdConfigInvalid "containerd cannot read its configuration"
  awk '/^ *\[/ { runc = /runtimes\.runc\.options\]/ }
    runc && $1 == "SystemdCgroup" { systemd = $3 }
    END { print systemd == "true" ? "systemd" : "cgroupfs" }' <<<"$config"
}

kubelet_minor() { # 1.36, or nothing where there is no kubelet
  local version
  version=$(kubelet --version 2>/dev/null) || return 0
  [[ ! $version =~ v(1\.[0-9]+)\. ]] || echo "${BASH_REMATCH[1]}"
}

put() { # put FILE: stdin becomes the file, in one step
  rm -f "$1.kpssh-new"
  cat >"$1.kpssh-new"
  mv "$1.kpssh-new" "$1"
}

# The kubelet refuses a key that is there twice, so what kubeletConfigExtra sets is left out here.
setting() { # setting KEY VALUE
  grep -q "^$1:" <<<"$extra" || printf '%s: %s\n' "$1" "$2"
}

reserved() { # reserved cpu=80m,memory=300Mi: as a YAML map
  local item items list=''
  IFS=, read -r -a items <<<"$1"
  for item in "${items[@]}"; do list+="${list:+, }${item%%=*}: \"${item#*=}\""; done
  echo "{$list}"
}

quoted_list() { # quoted_list a,b: as a YAML list
  local item items list=''
  IFS=, read -r -a items <<<"$1"
  for item in "${items[@]}"; do list+="${list:+, }\"$item\""; done
  echo "[$list]"
}

is_ip_literal() { # is_ip_literal TEXT: a name is no node address
  [[ $1 == *:* || $1 =~ ^[0-9]+(\.[0-9]+){3}$ ]]
}

# As long as the runtime is there it ends pods properly and gives back what their network took. What it leaves is ended below.
remove_pods() {
  type -P crictl >/dev/null && [[ $(systemctl is-active containerd 2>/dev/null) == active ]] || return 0
  timeout 45 crictl --runtime-endpoint unix:///run/containerd/containerd.sock rmp --force --all || true
}

shims() { # the processes that keep Kubernetes' containers; those of others, such as Docker, have another namespace
  local file command
  for file in /proc/[0-9]*/cmdline; do
    command=$({ tr '\0' ' ' <"$file"; } 2>/dev/null) || continue
    [[ $command != *containerd-shim*' -namespace k8s.io '* ]] || echo "${file//[!0-9]/}"
  done
}

# Containers outlive their runtime and even their shims: everything that descends from a shim is ended, all at once.
kill_containers() {
  local doomed fields line pid stat next=0
  local -A parent=()
  mapfile -t doomed < <(shims)
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    read -r -a fields <<<"${line##*) }"
    parent[${line%% *}]=${fields[1]}
  done
  while ((next < ${#doomed[@]})); do
    for pid in "${!parent[@]}"; do
      [[ ${parent[$pid]} != "${doomed[next]}" ]] || doomed+=("$pid")
    done
    ((++next))
  done
  ((${#doomed[@]} == 0)) || kill -KILL "${doomed[@]}" 2>/dev/null || true
}

# A mount may be the host's own files, bound into a pod: it goes before anything around it is deleted, or nothing is.
unmount_below() { # unmount_below DIRECTORY...: lazily where somebody keeps it busy
  local directory path
  for directory; do
    while read -r path; do
      printf -v path '%b' "$path"
      timeout 20 umount "$path" || umount --lazy "$path" || true
    done < <(mounts_below "$directory")
    require_no_mounts "$directory"
  done
}

# What network plugins leave behind would give the next pods addresses of the last membership.
remove_network() {
  local device namespace
  require_no_mounts /var/lib/cni
  rm -rf --one-file-system /var/lib/cni/networks /var/lib/cni/results /var/lib/cni/cache
  rm -f /run/flannel/subnet.env
  [[ ! -d /run/flannel ]] || rmdir --ignore-fail-on-non-empty /run/flannel
  type -P ip >/dev/null || return 0
  for namespace in /run/netns/cni-*; do
    [[ ! -e $namespace ]] || ip netns delete "${namespace##*/}" || true
  done
  for device in cni0 flannel.1 flannel-v6.1 kube-bridge kube-dummy-if kube-ipvs0 cilium_host cilium_net cilium_vxlan; do
    device_exists "$device" || continue
    if carries_session "$device"; then
      echo "$device stays: it carries the way in"
      continue
    fi
    ip link delete dev "$device" || true
    ! device_exists "$device" || fail DeviceStays "$device of an earlier membership cannot be removed"
  done
}

device_exists() {
  ip link show dev "$1" >/dev/null 2>&1
}

# The way in is the address that we know, the default route, and the route to whoever is logged in right now.
carries_session() { # carries_session DEVICE
  local address route
  for address in "${KPSSH_HOST_ADDRESS:-}" "${KPSSH_NODE_ADDRESS:-}"; do
    [[ -z $address || " $(ip -o address show dev "$1") " != *" $address"[/\ ]* ]] || return 0
  done
  route="$(ip -o route show default) $(ip -o -6 route show default)"
  [[ " ${route//$'\n'/ } " != *" dev $1 "* ]] || return 0
  for address in $(logged_in_from); do
    route=$(ip -o route get "$address" 2>/dev/null) || continue
    [[ " ${route//$'\n'/ } " != *" dev $1 "* ]] || return 0
  done
  return 1
}

logged_in_from() {
  local session=${SSH_CONNECTION:-}
  echo "${session%% *}"
  type -P ss >/dev/null || return 0
  ss -Htnp state established | awk '/"(sshd|dropbear)/ { sub(/:[0-9]+$/, "", $4); gsub(/[][]/, "", $4); sub(/^::ffff:/, "", $4); print $4 }'
}

require_no_mounts() { # require_no_mounts DIRECTORY...
  local directory path
  for directory; do
    path=$(mounts_below "$directory")
    [[ -z $path ]] || fail StillMounted "nothing below $directory is removed, because of ${path//$'\n'/, }"
  done
}

mounts_below() { # mounts_below DIRECTORY: what is mounted below it, deepest first, escaped as the kernel does
  local directory path
  directory=$(readlink -m "$1")
  while read -r _ _ _ _ path _; do
    [[ $path != "$directory"/* ]] || printf '%s\n' "$path"
  done </proc/self/mountinfo | sort -r
}

# The last words of a kubelet that did not join, and what they usually mean.
explain_kubelet() {
  local words
  words=$(journalctl -u kubelet --since "@$begun" -n 50 --no-pager -o cat 2>/dev/null) || true
  printf '%s\n' "$words" >&2
  case $words in
    *'not yet valid'* | *'certificate has expired'*) fail ClockSkew "a certificate is not valid at the time of this host" ;;
    *'signed by unknown authority'*) fail CaMismatch "the API server at $KPSSH_CLUSTER_ENDPOINT is not of the given CA" ;;
    *Unauthorized*) fail BootstrapTokenRejected "the API server does not know the bootstrap token (any more)" ;;
    *'running with swap on'*) fail SwapOn "the kubelet refuses to run with swap on" ;;
    *'cgroup driver'*) fail CgroupDriverMismatch "the kubelet and containerd disagree on the cgroup driver" ;;
    *'cgroup v1'*) fail CgroupV1 "this kubelet wants cgroup v2, or \"failCgroupV1: false\" in kubeletConfigExtra" ;;
    *'connection refused'* | *'no route to host'* | *'i/o timeout'* | *'no such host'* | *'deadline exceeded'*)
      fail EndpointUnreachable "$KPSSH_CLUSTER_ENDPOINT does not answer this host"
      ;;
    *) fail NotJoined "the kubelet got no certificate within $join_seconds s: is cluster-rbac.yaml applied?" ;;
  esac
}
main
