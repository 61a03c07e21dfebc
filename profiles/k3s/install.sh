#!/usr/bin/env bash
# Puts k3s of the wanted version on a host, checked against its hash, and the unit of its agent, switched off. A k3s of that
# version that is there already is left alone, and nothing is downloaded.
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

state=/var/lib/kpssh-profile # what uninstall must know
our_mark='# Written by kpssh. Remove this line to keep a version of your own.'
version=${KPSSH_VAR_k3sVersion:-}
source=${KPSSH_VAR_downloadUrl:-https://github.com/k3s-io/k3s/releases/download}

main() {
  hide_secrets
  check
  [[ $(k3s_version) == "$version" ]] || download_k3s
  write_agent_unit
  switch_off
  [[ $(k3s_version) == "$version" ]] || fail K3sVersionMismatch "the k3s on PATH is not $version but $(k3s_version)"
  echo "Installed and switched off: k3s $version"
}

# What can be known to go wrong is said before anything is changed.
check() {
  need KPSSH_VAR_k3sVersion
  check_var k3sVersion "$version" 'v1\.[0-9]+\.[0-9]+(-[a-z0-9]+)?\+k3s[0-9]+'
  check_var k3sSha256 "${KPSSH_VAR_k3sSha256:-}" '|[0-9a-f]{64}'
  [[ $(systemctl is-active k3s 2>/dev/null) != active ]] || fail K3sServerHere "a k3s server runs on this host"
  check_memory_cgroup
  check_clock
  check_disk /var/lib 1024
  check_disk /usr/local 256
}

download_k3s() {
  local got name sums url="$source/${version/+/%2B}" file=/usr/local/bin/k3s wanted=${KPSSH_VAR_k3sSha256:-}
  type -P curl >/dev/null || fail ToolMissing "curl is not on this host: install it, or put k3s $version at $file"
  read -r name sums < <(released_as)
  [[ -n $name ]] || fail ArchitectureUnsupported "there is no k3s for $(uname -m)"
  mkdir -p "$state" /usr/local/bin
  [[ -e $file ]] || : >"$state/k3s" # it is ours to remove
  if [[ -z $wanted ]]; then
    download "$url/$sums" "$state/sums"
    wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$state/sums")
    rm "$state/sums"
  fi
  download "$url/$name" "$file.kpssh-got"
  got=$(sha256sum "$file.kpssh-got")
  if [[ -z $wanted || ${got%% *} != "$wanted" ]]; then
    rm "$file.kpssh-got"
    fail HashMismatch "k3s $version has the hash ${got%% *}, it must have ${wanted:-one that is known}"
  fi
  chmod 755 "$file.kpssh-got"
  ! type -P restorecon >/dev/null || restorecon "$file.kpssh-got"
  mv "$file.kpssh-got" "$file"
}

released_as() { # the names of the program and of its list of hashes
  case $(uname -m) in
    x86_64) echo k3s sha256sum-amd64.txt ;;
    aarch64) echo k3s-arm64 sha256sum-arm64.txt ;;
    armv7l) echo k3s-armhf sha256sum-arm.txt ;;
  esac
}

# Pods are to outlive a restart of the agent, so stopping it ends nothing but itself: leave ends them.
write_agent_unit() {
  local file=/etc/systemd/system/k3s-agent.service
  mkdir -p /etc/rancher/k3s/config.yaml.d
  is_ours "$file" || [[ ! -f $file ]] || keep_original "$file"
  [[ -L $file ]] || put "$file" <<UNIT
$our_mark
[Unit]
Description=k3s agent: a node of a k3s cluster
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
ExecStartPre=-/sbin/modprobe -a br_netfilter overlay
ExecStart=$(type -P k3s) agent
KillMode=process
Delegate=yes
LimitNOFILE=1048576
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
TimeoutStartSec=0
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
UNIT
}

switch_off() {
  systemctl daemon-reload
  systemctl disable --now k3s-agent || true
  require_off k3s-agent
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

download() { # download URL FILE
  curl -fsSL --retry 3 --connect-timeout 10 -o "$2.kpssh-new" "$1" || fail DownloadFailed "$1 cannot be fetched, see above"
  mv "$2.kpssh-new" "$2"
}

is_ours() { # is_ours FILE: written by a phase of ours
  [[ -f $1 && $(head -n 1 "$1") == "$our_mark" ]]
}

put() { # put FILE: stdin becomes the file, in one step
  rm -f "$1.kpssh-new"
  cat >"$1.kpssh-new"
  mv "$1.kpssh-new" "$1"
}

keep_original() { # keep_original FILE: as it was before us, for uninstall
  local kept=$state/original/${1//\//%}
  [[ -e $kept ]] && return
  mkdir -p "$state/original"
  cp -a "$1" "$kept.new"
  mv "$kept.new" "$kept"
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
main
