#!/usr/bin/env bash
# Makes an installed host a node of a k3s cluster, with the token of the join Secret (key "token"). Certificates of an earlier
# membership are removed first; the node password stays, for a server that remembers this host under the same name.
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

config=/etc/rancher/k3s/config.yaml.d/90-kpssh.yaml
token_file=/etc/rancher/k3s/kpssh-token
version=${KPSSH_VAR_k3sVersion:-}
join_seconds=${KPSSH_VAR_joinSeconds:-180}
extra=${KPSSH_VAR_agentConfigExtra:-}
printf -v begun '%(%s)T' -1

main() {
  hide_secrets
  check
  systemctl stop k3s-agent || true
  kill_containers # of another membership, or of half of this one: their network goes as well
  unmount_below /var/lib/kubelet /run/k3s
  forget_certificates
  remove_network
  write_token
  write_configuration
  start
  wait_until_active
}

# What can be known to go wrong is said before anything is changed.
check() {
  need KPSSH_CLUSTER_ENDPOINT KPSSH_NODE_NAME KPSSH_VAR_k3sVersion KPSSH_SECRET_TOKEN
  check_var joinSeconds "$join_seconds" '[0-9]+'
  token=${KPSSH_SECRET_TOKEN//[[:space:]]/} # files that people make secrets from end in a line end
  [[ $KPSSH_CLUSTER_ENDPOINT == https://* ]] || fail InputInvalid "KPSSH_CLUSTER_ENDPOINT must begin with https://"
  [[ $(k3s_version) == "$version" ]] || fail NotInstalled "there is no k3s $version on this host, run install first"
  systemctl cat k3s-agent >/dev/null 2>&1 || fail NotInstalled "there is no unit k3s-agent on this host, run install first"
  check_memory_cgroup
  check_clock
  check_disk /var/lib 512
}

# The agent asks for new ones at every start, in the name that it has then.
forget_certificates() {
  rm -f /var/lib/rancher/k3s/agent/*.{crt,key,kubeconfig} /var/lib/rancher/k3s/agent/etc/*load-balancer.json
}

# A token that does not say which CA it means trusts whoever answers first, so it is told: where there is one certificate,
# k3s takes the hash of its PEM text.
write_token() {
  local ca hash
  if [[ $token != K10* && -n ${KPSSH_CLUSTER_CA_B64:-} ]]; then
    ca=$(base64 -d <<<"$KPSSH_CLUSTER_CA_B64") || fail CaInvalid "KPSSH_CLUSTER_CA_B64 is not base64"
    if [[ ${ca#*BEGIN CERTIFICATE} != *'BEGIN CERTIFICATE'* ]]; then
      hash=$(sha256sum <<<"$ca")
      [[ $token =~ ^[a-z0-9]{6}\.[a-z0-9]{16}$ ]] || token=:$token
      token=K10${hash%% *}::$token
    fi
  fi
  (umask 077 && put $token_file) <<TOKEN
$token
TOKEN
}

# A file of our own beside the host's, which k3s reads after it.
write_configuration() {
  local address=${KPSSH_NODE_ADDRESS:-}
  mkdir -p "${config%/*}"
  {
    setting server "\"$KPSSH_CLUSTER_ENDPOINT\""
    setting token-file $token_file
    setting node-name "\"$KPSSH_NODE_NAME\""
    ! is_ip_literal "$address" || setting node-ip "\"$address\""
    [[ -z ${KPSSH_NODE_LABELS:-} ]] || setting node-label "$(quoted_list "$KPSSH_NODE_LABELS")"
    [[ -z ${KPSSH_TAINTS:-} ]] || setting node-taint "$(quoted_list "$KPSSH_TAINTS")"
    setting kubelet-arg "$(kubelet_arguments)"
    [[ -z $extra ]] || printf '%s\n' "$extra"
  } | put $config
}

kubelet_arguments() {
  local list="max-pods=${KPSSH_VAR_maxPods:-110}"
  [[ -z ${KPSSH_PROVIDER_ID:-} ]] || list+=",provider-id=$KPSSH_PROVIDER_ID"
  quoted_list "$list"
}

# Its start may take as long as the server likes, so it is not waited for here.
start() {
  systemctl unmask k3s-agent
  systemctl daemon-reload
  systemctl enable --now --no-block k3s-agent
}

wait_until_active() { # which the agent says of itself when the server has accepted it
  local second
  for ((second = 0; second < join_seconds; second++)); do
    if [[ $(systemctl is-active k3s-agent) == active ]]; then
      echo "Joined as $KPSSH_NODE_NAME"
      return
    fi
    sleep 1
  done
  explain_k3s
}

explain_k3s() {
  local words
  words=$(journalctl -u k3s-agent --since "@$begun" -n 50 --no-pager -o cat 2>/dev/null) || true
  printf '%s\n' "$words" >&2
  case $words in
    *'Node password rejected'*)
      fail NodePasswordRejected "the server remembers another host as $KPSSH_NODE_NAME: delete the Secret $KPSSH_NODE_NAME.node-password.k3s in kube-system"
      ;;
    *'not yet valid'* | *'certificate has expired'*) fail ClockSkew "a certificate is not valid at the time of this host" ;;
    *'token CA hash does not match'*) fail CaMismatch "the server at $KPSSH_CLUSTER_ENDPOINT is not of the given CA, or use its whole token (K10…)" ;;
    *'401 Unauthorized'* | *'not authorized'* | *'invalid token'*) fail TokenRejected "the server does not accept the token of the join Secret" ;;
    *'connection refused'* | *'no route to host'* | *'i/o timeout'* | *'no such host'* | *'deadline exceeded'*)
      fail EndpointUnreachable "$KPSSH_CLUSTER_ENDPOINT does not answer this host"
      ;;
    *) fail NotJoined "the agent was not accepted within $join_seconds s, see above" ;;
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

# Control groups v2 say themselves what they control: new kernels no longer list memory in /proc/cgroups then.
check_memory_cgroup() {
  local controllers=''
  if [[ -r /sys/fs/cgroup/cgroup.controllers ]]; then
    controllers=$(</sys/fs/cgroup/cgroup.controllers)
  else
    controllers=$(awk '$4 == 1 { print $1 }' /proc/cgroups)
  fi
  [[ " ${controllers//$'\n'/ } " == *' memory '* ]] || fail MemoryCgroupOff "$(memory_cgroup_remedy)"
}

# The file that this system's boot loader reads, and what is to be done about it. Nothing is changed here: a phase neither
# edits how a board boots nor reboots it.
memory_cgroup_remedy() {
  local file first want='cgroup_enable=memory cgroup_memory=1'
  for file in /boot/armbianEnv.txt /boot/firmware/cmdline.txt /boot/cmdline.txt; do
    [[ -f $file ]] || continue
    if [[ $file == */armbianEnv.txt ]]; then
      echo "the kernel has no memory cgroup: add \"$want\" to the line extraargs= of $file and reboot"
      return
    fi
    read -r first <"$file" || true
    if [[ " $first " == *' cgroup_enable=memory '* ]]; then
      echo "the kernel has no memory cgroup, although the first line of $file asks for it: reboot"
    elif grep -qw cgroup_enable=memory "$file"; then
      echo "the kernel has no memory cgroup: of $file it reads the first line only, move \"$want\" there and reboot"
    else
      echo "the kernel has no memory cgroup: append \"$want\" to the first line of $file and reboot"
    fi
    return
  done
  echo "the kernel has no memory cgroup: boot it with \"$want\""
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

k3s_version() { # v1.36.2+k3s1, or nothing where there is no k3s
  local version
  version=$(k3s --version 2>/dev/null) || return 0
  [[ ! $version =~ (v1\.[^[:space:]]+) ]] || echo "${BASH_REMATCH[1]}"
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

quoted_list() { # quoted_list a,b: as a YAML list
  local item items list=''
  IFS=, read -r -a items <<<"$1"
  for item in "${items[@]}"; do list+="${list:+, }\"$item\""; done
  echo "[$list]"
}

is_ip_literal() { # is_ip_literal TEXT: a name is no node address
  [[ $1 == *:* || $1 =~ ^[0-9]+(\.[0-9]+){3}$ ]]
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
