#!/usr/bin/env bash
# Runs one test host until its standard input ends:
#   run-host.sh hold TREE FOLDER NAME NSPAWN-ARGUMENT...
# Everything lives in namespaces that end with the first process in them: mounts, the network device and all processes.
# Only control groups have to be removed by hand, which this does, also when whoever started it was killed.
# Says `network ADDRESS GATEWAY` on standard output once the host has its network. What is in FOLDER/files is on the host
# from the first boot on; its console is in FOLDER/console.
set -euo pipefail
shopt -s inherit_errexit

hold() { # hold TREE FOLDER NAME ARGUMENT...
  local folder=$2 reader code=0
  inner='' # of the whole program, as `groups` is: the trap runs when this function is no more
  mapfile -t groups < <(control_groups "$3")
  trap 'end "'"$folder"'"' EXIT
  make_groups
  exec 7</proc/self/ns/net 8<&0
  {
    for group in "${groups[@]}"; do echo "$BASHPID" >"$group/cgroup.procs"; done
    exec setpriv --pdeathsig KILL unshare --mount --net --pid --fork --kill-child --mount-proc -- \
      bash "${BASH_SOURCE[0]}" boot "$@"
  } </dev/null 8<&- 2>"$folder/console" &
  inner=$!
  exec >&-
  cat <&8 >/dev/null & # until whoever started this ends
  reader=$!
  wait -n "$inner" "$reader" || code=$?
  if kill -0 "$reader" 2>/dev/null; then
    kill "$reader"
    { tail -c 2000 "$folder/console" && echo "the host has ended by itself, with $code"; } >&2
    exit 1
  fi
}

end() { # end FOLDER: nothing of the host is left
  if [[ -n $inner ]]; then
    kill -KILL "$inner" 2>/dev/null || true
    wait "$inner" 2>/dev/null || true
  fi
  remove_groups
  rm -rf --one-file-system "$1"
}

# In the namespaces, as their first process.
boot() { # boot TREE FOLDER NAME ARGUMENT...
  local tree=$1 folder=$2 name=$3 host=$2/host status
  shift 3
  mount --make-rprivate /
  mount -t tmpfs -o mode=755 tmpfs /run # nspawn leaves traces there
  mkdir -p "$host"
  mount -t tmpfs -o mode=755,size=8g tmpfs "$host"
  mkdir "$host"/{upper,work,root}
  mount -t overlay -o "lowerdir=$tree,upperdir=$host/upper,workdir=$host/work" overlay "$host/root"
  cp -a "$tree/var" "$host/var" # containerd cannot lay its overlays on one
  connect
  echo "$name" >"$host/root/etc/hostname"
  printf '%s\n' '127.0.0.1 localhost' "$address $name" >"$host/root/etc/hosts"
  cp -a "$folder/files/." "$host/root"
  echo "network $address $gateway"
  exec >&2
  while true; do
    status=0
    nspawn "$tree" --machine="$name" --directory="$host/root" --bind="$host/var:/var" "$@" || status=$?
    ((status == 133)) || exit "$status" # 133: the host asked to be booted again
    forget_devices
  done
}

# A pair of devices, of which one is eth0 here and the other the machine's. Each host has a network of its own, for tests
# (RFC 5737); the first pair whose name is free is ours.
connect() {
  local number device
  for ((number = 0; number < 60; number++)); do
    device=kpssh-test$number
    if outside ip link add "$device" type veth peer name eth0 netns $$ 2>/dev/null; then break; fi
  done
  ((number < 60)) || { echo 'no network is left for this host' >&2; exit 1; }
  gateway=203.0.113.$((4 * number + 1)) address=203.0.113.$((4 * number + 2))
  outside ip address add "$gateway/30" dev "$device"
  outside ip link set "$device" up
  ip link set lo up
  ip address add "$address/30" dev eth0
  ip link set eth0 up
  ip route add default via "$gateway" # which forwards nothing
}

# What a kernel that boots has never heard of, and this one still has.
forget_devices() {
  local device
  for device in $(ip -o link show | awk -F '[:@ ]+' '{ print $2 }'); do
    [[ $device == lo || $device == eth0 ]] || ip link delete dev "$device" 2>/dev/null || true # with its peer
  done
}

outside() { # outside COMMAND...: in the network of whoever started this
  nsenter --net=/proc/self/fd/7 -- "$@"
}

# The tree's own, whatever systemd this machine has, with the tree's own libraries.
nspawn() { # nspawn TREE ARGUMENT...
  local tree=$1 libraries loader
  shift
  libraries=$(printf '%s:' "$tree"/usr/lib/*-linux-*/systemd "$tree"/usr/lib/*-linux-* "$tree"/lib/*-linux-*)
  loader=$(echo "$tree"/lib*/ld-linux-*.so.*)
  SYSTEMD_SECCOMP=0 SYSTEMD_NSPAWN_API_VFS_WRITABLE=network \
    "${loader%% *}" --library-path "${libraries%:}" "$tree/usr/bin/systemd-nspawn" --quiet --boot --keep-unit --register=no \
    --settings=no --capability=all --drop-capability=CAP_SYS_MODULE,CAP_SYS_TIME,CAP_SYS_RAWIO \
    --network-namespace-path="/proc/$$/ns/net" --resolv-conf=off --timezone=off --link-journal=no \
    --console=pipe "$@"
}

# One in each hierarchy, below the group that this process is in. In the only hierarchy of control groups v2 a group with
# processes gives its children no controllers: there it stands at the top.
control_groups() { # control_groups NAME
  local id kind path root
  while IFS=: read -r id kind path; do
    root=/sys/fs/cgroup/unified
    [[ $id == 0 ]] || root=/sys/fs/cgroup/${kind#name=}
    [[ ! -d $root ]] || echo "$root${path%/}/$1"
  done </proc/self/cgroup
  [[ ! -e /sys/fs/cgroup/cgroup.controllers ]] || echo "/sys/fs/cgroup/$1"
}

make_groups() {
  local group file
  for group in "${groups[@]}"; do
    mkdir "$group"
    # A group of processors and memory takes no process before it has some.
    for file in cpuset.cpus cpuset.mems; do
      [[ ! -f $group/$file || -e $group/cgroup.controllers ]] || cat "${group%/*}/$file" >"$group/$file"
    done
  done
}

remove_groups() { # the kernel needs a moment until a group whose processes were killed is empty
  local round left
  for ((round = 0; round < 100; round++)); do
    find "${groups[@]}" -depth -type d -exec rmdir {} + 2>/dev/null || true
    left=$(ls -d "${groups[@]}" 2>/dev/null) || true
    [[ -n $left ]] || return 0
    sleep 0.1
  done
  echo "control groups are left behind: $left" >&2
  exit 1
}

"$@"
