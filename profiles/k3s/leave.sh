#!/usr/bin/env bash
# Ends the membership, for good until the next join: the agent is stopped and stays down across a reboot, pods are ended,
# token, certificates and network state are removed. k3s, its images and the node password stay, so that join alone
# reconnects the host. On a host that never joined there is nothing to do.
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin

main() {
  systemctl disable --now k3s-agent || systemctl stop k3s-agent || true
  rm -f /etc/systemd/system/*.wants/k3s-agent.service # systemctl leaves it to a unit that is masked
  require_off k3s-agent
  kill_containers
  unmount_below /var/lib/kubelet /run/k3s
  forget_membership
  remove_network
  echo "Left: k3s-agent is stopped and disabled"
}

# All that join wrote, also in the middle of writing, and what the agent was given.
forget_membership() {
  local agent=/var/lib/rancher/k3s/agent
  rm -f /etc/rancher/k3s/kpssh-token{,.kpssh-new} /etc/rancher/k3s/config.yaml.d/90-kpssh.yaml{,.kpssh-new}
  rm -f $agent/*.{crt,key,kubeconfig} $agent/etc/*load-balancer.json
  rm -rf --one-file-system /var/lib/kubelet/{pki,pods,plugins_registry}
  rm -f /var/lib/kubelet/{cpu_manager_state,memory_manager_state,dra_manager_state,allocated_pods_state,actuated_pods_state}
}

fail() { # fail REASON WORDS: ends the phase with one line that says why
  printf '%s: %s\n' "$1" "$2" >&2
  exit 1
}

# A unit that is absent or masked cannot be disabled, which is as good. What counts is what systemd says afterwards.
require_off() { # require_off UNIT...
  local unit now
  for unit; do
    now=$(systemctl is-active "$unit" 2>/dev/null) || true
    case $now in
      active | activating | deactivating | reloading) fail StillRunning "$unit is $now, it must be stopped" ;;
    esac
    now=$(systemctl is-enabled "$unit" 2>/dev/null) || true
    [[ $now != enabled ]] || fail StillEnabled "$unit would come back with the next boot"
  done
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

mounts_below() { # mounts_below DIRECTORY: what is mounted below it, deepest first, escaped as the kernel does
  local directory path
  directory=$(readlink -m "$1")
  while read -r _ _ _ _ path _; do
    [[ $path != "$directory"/* ]] || printf '%s\n' "$path"
  done </proc/self/mountinfo | sort -r
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

require_no_mounts() { # require_no_mounts DIRECTORY...
  local directory path
  for directory; do
    path=$(mounts_below "$directory")
    [[ -z $path ]] || fail StillMounted "nothing below $directory is removed, because of ${path//$'\n'/, }"
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
main
