#!/usr/bin/env bash
# Makes an installed host a node of a kubeadm cluster: discovery with the bootstrap token and the pinned CA. What an earlier
# membership left is removed first, so that every join begins alike, also one that comes after half of another.
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

etc=/etc/kubernetes
minor=${KPSSH_VAR_k8sMinor:-}
wanted_driver=${KPSSH_VAR_cgroupDriver:-}
swap=${KPSSH_VAR_swap:-fail}
join_seconds=${KPSSH_VAR_joinSeconds:-180}
extra=${KPSSH_VAR_kubeletConfigExtra:-}
arguments=${KPSSH_VAR_kubeletExtraArgs:-}

main() {
  hide_secrets
  check
  end_pods
  forget_membership
  remove_network
  turn_swap_off
  write_configuration
  enable_units
  run_kubeadm
}

# What can be known to go wrong is said before anything is changed.
check() {
  local ca
  need KPSSH_CLUSTER_ENDPOINT KPSSH_CLUSTER_CA_B64 KPSSH_BOOTSTRAP_TOKEN KPSSH_NODE_NAME KPSSH_VAR_k8sMinor
  check_var swap "$swap" 'fail|off|allow'
  check_var joinSeconds "$join_seconds" '[0-9]+'
  check_var kubeletExtraArgs "$arguments" '(--[a-z0-9-]+=[^[:space:]]+ ?)*'
  if [[ $(kubelet_minor) != "$minor" || $(kubeadm_minor) != "$minor" ]] || ! type -P containerd openssl >/dev/null; then
    fail NotInstalled "kubelet $minor, kubeadm $minor, containerd or openssl is missing on this host, run install first"
  fi
  check_clock
  check_swap
  check_disk /var/lib 512
  check_driver
  ca=$(base64 -d <<<"$KPSSH_CLUSTER_CA_B64" 2>/dev/null) || true
  mapfile -t hashes < <(ca_hashes "$ca" 2>/dev/null)
  ((${#hashes[@]} > 0)) || fail CaInvalid "KPSSH_CLUSTER_CA_B64 is not a PEM bundle in base64"
}

# Of another membership, or of half of this one: their network is about to go.
end_pods() {
  systemctl stop kubelet || true
  remove_pods
  systemctl stop containerd || true # which reads its network configuration anew when it starts
  kill_containers
  unmount_below /var/lib/kubelet /run/containerd/io.containerd.runtime.v2.task/k8s.io /run/containerd/io.containerd.grpc.v1.cri
}

# kubeadm refuses a host on which it finds any of this.
forget_membership() {
  rm -f $etc/{kubelet.conf,bootstrap-kubelet.conf,pki/ca.crt}
  rm -f /var/lib/kubelet/{config.yaml,instance-config.yaml,kubeadm-flags.env}
  require_no_mounts /var/lib/kubelet/pki
  rm -rf --one-file-system /var/lib/kubelet/pki
}

write_configuration() {
  mkdir -p $etc/kpssh-patches /etc/cni/net.d
  kubelet_patch | put $etc/kpssh-patches/kubeletconfiguration+merge.yaml
  (umask 077 && put $etc/kpssh-join.yaml) <<CONFIG
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  bootstrapToken:
    token: "$KPSSH_BOOTSTRAP_TOKEN"
    apiServerEndpoint: "$(host_and_port)"
    caCertHashes: $(IFS=, && quoted_list "${hashes[*]}")
nodeRegistration:
  name: "$KPSSH_NODE_NAME"
  criSocket: unix:///run/containerd/containerd.sock
  ignorePreflightErrors: $([[ $swap == allow ]] && echo '[Swap]' || echo '[]')
  kubeletExtraArgs:
$(kubelet_arguments)
patches:
  directory: $etc/kpssh-patches
timeouts:
  discovery: ${join_seconds}s
  tlsBootstrap: ${join_seconds}s
CONFIG
}

host_and_port() {
  local host=${KPSSH_CLUSTER_ENDPOINT#https://}
  host=${host%%/*}
  [[ $host =~ :[0-9]+$ ]] || host+=:443
  echo "$host"
}

# Over the cluster's own configuration of kubelets.
kubelet_patch() {
  setting apiVersion kubelet.config.k8s.io/v1beta1
  setting kind KubeletConfiguration
  setting cgroupDriver "$driver"
  setting failSwapOn "$([[ $swap == fail ]] && echo true || echo false)"
  setting kubeReserved "$(reserved "${KPSSH_VAR_kubeReserved:-cpu=80m,memory=300Mi}")"
  setting maxPods "${KPSSH_VAR_maxPods:-110}"
  [[ -z $extra ]] || printf '%s\n' "$extra"
}

kubelet_arguments() {
  local address=${KPSSH_NODE_ADDRESS:-} argument words
  add_argument node-labels "${KPSSH_NODE_LABELS:-}"
  add_argument provider-id "${KPSSH_PROVIDER_ID:-}"
  add_argument register-with-taints "${KPSSH_TAINTS:-}"
  ! is_ip_literal "$address" || add_argument node-ip "$address"
  read -r -a words <<<"$arguments"
  for argument in "${words[@]}"; do
    argument=${argument#--}
    add_argument "${argument%%=*}" "${argument#*=}"
  done
}

add_argument() { # add_argument NAME VALUE: left out where it is empty
  [[ -z $2 ]] || printf '    - {name: "%s", value: "%s"}\n' "$1" "$2"
}

enable_units() {
  local effective
  systemctl unmask kubelet containerd
  systemctl daemon-reload
  effective=$(systemctl cat kubelet | grep '^ExecStart=' | tail -n 1) || true
  [[ $effective == "ExecStart=$(kubelet_command)" ]] ||
    fail KubeletDropInOverridden "a drop-in of the kubelet that sorts after 90-kpssh.conf sets ExecStart"
  systemctl enable --now containerd
  systemctl enable kubelet # kubeadm starts it, once it has a configuration
}

run_kubeadm() {
  local output code=0
  output=$(kubeadm join --config $etc/kpssh-join.yaml 2>&1) || code=$?
  output=${output//"$KPSSH_BOOTSTRAP_TOKEN"/[token]}
  [[ -z $output ]] || printf '%s\n' "$output"
  rm -f $etc/kpssh-join.yaml # the token is spent, or the next join brings another
  ((code == 0)) || explain_kubeadm "$output" "$code"
  [[ $(systemctl is-active kubelet) == active ]] || fail KubeletNotRunning "kubeadm has joined the host but its kubelet does not run"
  echo "Joined as $KPSSH_NODE_NAME"
}

explain_kubeadm() { # explain_kubeadm OUTPUT CODE: what its failures usually mean
  case $1 in
    *'not yet valid'* | *'certificate has expired'*) fail ClockSkew "a certificate is not valid at the time of this host" ;;
    *'are pinned'* | *'signed by unknown authority'*) fail CaMismatch "the cluster at $KPSSH_CLUSTER_ENDPOINT is not of the given CA" ;;
    *'JWS signature'* | *Unauthorized*) fail BootstrapTokenRejected "the cluster does not know the bootstrap token (any more)" ;;
    *'is forbidden'*) fail RbacMissing "the bootstrap token may not do what kubeadm does: apply cluster-rbac.yaml" ;;
    *'[ERROR Swap]'*) fail SwapOn "kubeadm refuses a host with swap on" ;;
    *'[ERROR '*) fail PreflightFailed "kubeadm refuses this host, see the lines with [ERROR above" ;;
    *'connection refused'* | *'no route to host'* | *'i/o timeout'* | *'no such host'* | *'deadline exceeded'*)
      fail EndpointUnreachable "$KPSSH_CLUSTER_ENDPOINT does not answer this host"
      ;;
    *) fail NotJoined "kubeadm ended with exit code $2, see above" ;;
  esac
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

kubeadm_minor() { # 1.36, or nothing where there is no kubeadm
  local version
  version=$(kubeadm version -o short 2>/dev/null) || return 0
  [[ ! $version =~ v(1\.[0-9]+)\. ]] || echo "${BASH_REMATCH[1]}"
}

kubelet_command() { # with the flags that kubeadm relies on; the two variables are systemd's to fill in
  echo "$(type -P kubelet) --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf" \
    "--kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml \$KUBELET_KUBEADM_ARGS \$KUBELET_EXTRA_ARGS"
}

# The public keys of all certificates in a bundle, in kubeadm's form.
ca_hashes() { # ca_hashes PEM
  local certificate rest=$1 hash
  while [[ $rest == *'-----END CERTIFICATE-----'* ]]; do
    certificate="${rest%%-----END CERTIFICATE-----*}-----END CERTIFICATE-----"
    rest=${rest#*-----END CERTIFICATE-----}
    hash=$(openssl x509 -noout -pubkey <<<"$certificate" | openssl pkey -pubin -outform DER | sha256sum) || return
    printf 'sha256:%s\n' "${hash%% *}"
  done
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
main
