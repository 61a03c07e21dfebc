#!/bin/bash
# Pods as they look from the host: processes, mounts, network. Sourced after lib.bash, by whoever has pods or ends them.
# They outlive the kubelet and the runtime, as in reality; a pod is known by its number.
# shellcheck disable=SC2154 # volatile is of lib.bash
pods=/var/lib/kubelet/pods runtime=/run/containerd network_folder=/etc/cni/net.d
tasks=$runtime/io.containerd.runtime.v2.task/k8s.io

pod_names() { # pod_names NUMBER: sets id, uid and address
  printf -v id '%064x' "$1"
  printf -v uid '00000000-0000-4000-8000-%012x' "$1"
  address=10.244.7.$(($1 + 1))
}

start_pods() { # as many as are wanted, where there are not as many
  local number wanted
  value pods 1
  wanted=$REPLY
  for ((number = 1; number <= wanted; number++)); do start_pod "$number"; done
}

start_pod() { # start_pod NUMBER
  local id uid address volumes
  pod_names "$1"
  [[ ! -e $volatile/pods/$1 ]] || ! container_runs "$id" || return 0
  volumes=$pods/$uid/volumes
  mkdir -p "$volumes"/kubernetes.io~projected/kube-api-access "$volumes"/kubernetes.io~local-volume/host-etc \
    "$tasks/$id/rootfs" /run/netns /var/lib/cni/networks/cbr0 "$volatile"/{pods,devices}
  is_mounted "$volumes/kubernetes.io~projected/kube-api-access" ||
    mount -t tmpfs -o size=64k tmpfs "$volumes/kubernetes.io~projected/kube-api-access"
  is_mounted "$volumes/kubernetes.io~local-volume/host-etc" ||
    mount --bind /etc "$volumes/kubernetes.io~local-volume/host-etc"
  is_mounted "$tasks/$id/rootfs" || mount -t tmpfs -o size=64k tmpfs "$tasks/$id/rootfs"
  printf 'address=%s\n' "$address" >"/run/netns/cni-$uid"
  printf '%s\neth0' "$id" >"/var/lib/cni/networks/cbr0/$address"
  printf '%s' "$address" >/var/lib/cni/networks/cbr0/last_reserved_ip.0
  printf '10.244.7.1/24\n' >"$volatile/devices/cni0"
  start_container "$id"
  : >"$volatile/pods/$1"
}

is_mounted() { # is_mounted PATH
  local path
  while read -r _ _ _ _ path _; do
    [[ $path != "$1" ]] || return 0
  done </proc/self/mountinfo
  return 1
}

# What the network plugin of the cluster, itself a pod, writes on every node.
start_network() {
  mkdir -p "$network_folder" /run/flannel "$volatile/devices"
  printf '%s\n' '{"name":"cbr0","cniVersion":"0.3.1","plugins":[{"type":"flannel","delegate":{"isDefaultGateway":true}},{"type":"portmap"}]}' \
    >"$network_folder/10-flannel.conflist"
  printf '%s\n' FLANNEL_NETWORK=10.244.0.0/16 FLANNEL_SUBNET=10.244.7.1/24 FLANNEL_MTU=1450 >/run/flannel/subnet.env
  printf '10.244.7.0/32\n' >"$volatile/devices/flannel.1"
}

# The same for a k3s, which has its runtime within.
use_k3s() {
  runtime=/run/k3s/containerd network_folder=/var/lib/rancher/k3s/agent/etc/cni/net.d
  tasks=$runtime/io.containerd.runtime.v2.task/k8s.io
}

# With a session of its own, as a shim has: nobody who ends the caller's session ends it.
start_container() { # start_container ID: it is seen when this ends
  local tries idle
  setsid /bin/bash -p /.sandbox/stubs/containerd-shim-runc-v2 -namespace k8s.io -id "$1" \
    -address "$runtime/containerd.sock" </dev/null >/dev/null 2>&1 77>&- 78>&- &
  exec {idle}<> <(:)
  for ((tries = 400; tries > 0; tries--)); do
    ! container_runs "$1" || break
    read -r -t 0.005 -u "$idle" _ || true
  done
  exec {idle}>&-
}

# As the runtime ends them: everything is given back, the network plugin's device stays.
end_pods() {
  local file id uid address
  for file in "$volatile/pods"/*; do
    [[ -e $file ]] || continue
    pod_names "${file##*/}"
    end_container "$id"
    umount -l "$pods/$uid/volumes/kubernetes.io~projected/kube-api-access" \
      "$pods/$uid/volumes/kubernetes.io~local-volume/host-etc" "$tasks/$id/rootfs" 2>/dev/null || true
    rm -f "/run/netns/cni-$uid" "/var/lib/cni/networks/cbr0/$address" "$file"
    rmdir "$tasks/$id/rootfs" "$tasks/$id" 2>/dev/null || true
  done
}

end_container() { # end_container ID: its shim and what descends from it
  local pid child
  find_shim "$1"
  pid=$REPLY
  [[ -n $pid ]] || return 0
  text_of "/proc/$pid/task/$pid/children"
  for child in $REPLY "$pid"; do kill -KILL "$child" 2>/dev/null || true; done
}

container_runs() { # container_runs ID
  find_shim "$1"
  [[ -n $REPLY ]]
}

find_shim() { # find_shim ID: sets REPLY to its process, or to nothing
  local file words
  for file in /proc/[0-9]*/cmdline; do
    { mapfile -d '' -t words <"$file"; } 2>/dev/null || continue # it may be gone
    [[ " ${words[*]} " == *"containerd-shim"*" -id $1 "* ]] || continue
    REPLY=${file//[!0-9]/}
    return
  done
  REPLY=''
}
