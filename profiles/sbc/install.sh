#!/usr/bin/env bash
# Puts containerd, the kubelet, network plugins and what they call on a board of the Debian family, switched off. Where a
# kubelet of the wanted minor and containerd are there already, apt is not asked at all: on a board that costs minutes.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

state=/var/lib/kpssh-profile # what uninstall must know
our_mark='# Written by kpssh. Remove this line to keep a version of your own.'
minor=${KPSSH_VAR_k8sMinor:-}
wanted_driver=${KPSSH_VAR_cgroupDriver:-}
swap=${KPSSH_VAR_swap:-off}
lock_seconds=${KPSSH_VAR_packageLockSeconds:-300}
systemd_cgroup=true
[[ $wanted_driver != cgroupfs ]] || systemd_cgroup=false

main() {
  hide_secrets
  check
  turn_swap_off
  is_installed || install_packages
  configure_kernel
  configure_containerd
  write_unit
  switch_off
  verify
  echo "Installed and switched off: kubelet $minor, containerd"
}

# What can be known to go wrong is said before anything is changed.
check() {
  need KPSSH_VAR_k8sMinor
  check_var k8sMinor "$minor" '1\.[0-9]+'
  check_var cgroupDriver "$wanted_driver" '|systemd|cgroupfs'
  check_var swap "$swap" 'fail|off|allow'
  check_var packageLockSeconds "$lock_seconds" '[0-9]+'
  check_memory_cgroup
  check_clock
  check_swap
  check_kept_configuration
  if is_installed; then
    check_disk /var/lib 512
  else
    check_disk /var/lib 2048
    check_packages
  fi
}

# A configuration that came with the host is not ours to write: its cgroup driver is what it is.
check_kept_configuration() {
  local file=/etc/containerd/config.toml
  if [[ -e $file ]] && type -P containerd >/dev/null && ! is_ours "$file" && ! brought containerd; then
    check_driver
  fi
}

is_installed() {
  [[ ! -e $state/unfinished && $(kubelet_minor) == "$minor" ]] && type -P containerd >/dev/null
}

check_packages() {
  local architecture
  type -P apt-get >/dev/null || fail PackageManagerMissing "apt-get is not on this host: this profile is for the Debian family"
  architecture=$(dpkg --print-architecture)
  [[ $architecture =~ ^(amd64|arm64)$ ]] ||
    fail ArchitectureUnsupported "pkgs.k8s.io has no kubelet for $architecture: run a 64-bit system, or bring a kubelet"
}

install_packages() {
  local missing repository="https://pkgs.k8s.io/core:/stable:/v$minor/deb/"
  local key=/etc/apt/keyrings/kpssh-kubernetes.asc list=/etc/apt/sources.list.d/kpssh-kubernetes.list
  mkdir -p "$state" && : >"$state/unfinished" # packages that are there already would hide that others are not
  mapfile -t missing < <(missing_tools debian)
  [[ -e /opt/cni/bin/loopback ]] || missing+=(kubernetes-cni)
  type -P kubelet >/dev/null || record_packages kubelet
  type -P containerd >/dev/null || missing+=(containerd)
  record_packages "${missing[@]}"
  if ! type -P curl >/dev/null; then
    apt_get update
    apt_get install --no-install-recommends ca-certificates curl
  fi
  # A second entry for a repository that the host has already, with another key file, makes apt refuse both.
  if ! grep -rqsF --include='*.list' --include='*.sources' --exclude="${list##*/}" "$repository" /etc/apt; then
    mkdir -p /etc/apt/keyrings
    download "${repository}Release.key" "$key"
    put "$list" <<<"deb [signed-by=$key] $repository /"
  fi
  # What packages of Debian start would run for a moment as nobody has configured it.
  systemctl mask --runtime kubelet containerd || true
  apt_get update
  apt_get install --no-install-recommends --allow-downgrades --allow-change-held-packages \
    "${missing[@]}" "kubelet=$minor.*"
  systemctl unmask --runtime kubelet containerd
  apt-mark hold kubelet
  rm "$state/unfinished"
}

download() { # download URL FILE
  curl -fsSL --retry 3 --connect-timeout 10 -o "$2.kpssh-new" "$1" || fail DownloadFailed "$1 cannot be fetched, see above"
  mv "$2.kpssh-new" "$2"
}

configure_kernel() {
  put /etc/modules-load.d/kpssh.conf <<'MODULES'
overlay
br_netfilter
MODULES
  put /etc/sysctl.d/90-kpssh.conf <<'SETTINGS'
net.bridge.bridge-nf-call-iptables = 1
net.bridge.bridge-nf-call-ip6tables = 1
net.ipv4.ip_forward = 1
SETTINGS
  modprobe -a overlay br_netfilter || echo 'Modules could not be loaded: fine where the kernel has them built in'
  sysctl -e -q -p /etc/sysctl.d/90-kpssh.conf || echo 'Kernel settings could not be made now: they are at the next boot'
}

# A configuration that came with the host is kept, GPU runtimes and all, but for two things that no node can live with: the
# CRI plugin switched off (Docker's packages), and Debian's place for network plugins, where nobody else puts them.
configure_containerd() {
  local file=/etc/containerd/config.toml plugin
  mkdir -p /etc/containerd /opt/cni/bin /etc/cni/net.d
  if [[ ! -e $file ]] || brought containerd containerd.io || is_ours "$file"; then
    { echo "$our_mark"; containerd config default; } | sed "s/SystemdCgroup = .*/SystemdCgroup = $systemd_cgroup/" | put "$file"
  else
    keep_original "$file"
    sed -e "/^ *disabled_plugins/s/[\"']cri[\"'],\{0,1\} *//" -e "/^ *bin_dirs\{0,1\} *=/s#/usr/lib/cni#/opt/cni/bin#" "$file" | put "$file"
  fi
  for plugin in /usr/lib/cni/*; do
    [[ ! -x $plugin || -e /opt/cni/bin/${plugin##*/} ]] || ln -s "$plugin" /opt/cni/bin/
  done
}

# For a kubelet that came without a unit. A mask is left to join, which takes it off.
write_unit() {
  local file=/etc/systemd/system/kubelet.service
  mkdir -p /etc/kubernetes/pki /etc/systemd/system/kubelet.service.d /var/lib/kubelet
  if [[ -L $file ]] || { systemctl cat kubelet >/dev/null 2>&1 && ! is_ours "$file"; }; then return; fi
  put "$file" <<UNIT
$our_mark
[Unit]
Description=kubelet: the node agent of Kubernetes
Wants=network-online.target
After=network-online.target containerd.service
StartLimitIntervalSec=0

[Service]
ExecStart=$(type -P kubelet)
Restart=always
RestartSec=10

[Install]
WantedBy=multi-user.target
UNIT
}
switch_off() {
  systemctl daemon-reload
  systemctl disable --now kubelet || true
  systemctl disable --now containerd || true
  require_off kubelet containerd
}

verify() {
  local now
  now=$(kubelet_minor)
  [[ $now == "$minor" ]] || fail KubeletVersionMismatch "the kubelet on PATH is ${now:-missing}, the var k8sMinor says $minor"
  type -P containerd >/dev/null || fail ContainerdMissing "there is no containerd after the installation"
  check_driver
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

turn_swap_off() { # until the next boot; /etc/fstab is not ours
  [[ $swap != off ]] || ! swap_is_on || swapoff -a
}

# Commands that kubelet and network plugins call, with the package on Debian and on Red Hat.
missing_tools() { # missing_tools FAMILY: packages, one a line
  local command debian redhat
  while read -r command debian redhat; do
    if type -P "$command" >/dev/null; then continue; fi
    if [[ $1 == debian ]]; then echo "$debian"; else echo "$redhat"; fi
  done <<'TOOLS'
conntrack conntrack conntrack-tools
crictl cri-tools cri-tools
curl curl curl
ebtables ebtables /usr/sbin/ebtables
ethtool ethtool ethtool
ip iproute2 iproute
iptables iptables /usr/sbin/iptables
socat socat socat
sysctl procps procps-ng
TOOLS
}

# What was not there before is written down before it is installed, so that uninstall removes it and nothing else.
record_packages() { # record_packages NAME...
  (($# > 0)) || return 0
  mkdir -p "$state"
  { cat "$state/packages" 2>/dev/null || true; printf '%s\n' "$@"; } | sort -u | put "$state/packages"
}

brought() { # brought NAME...: whether install brought one of these packages
  local name
  for name; do
    grep -qsx "$name" "$state/packages" && return 0
  done
  return 1
}

# Updates at the first boot hold the lock of the package manager for minutes. They are waited for, and what an interrupted
# dpkg left undone is finished.
with_lock() { # with_lock COMMAND...: runs a package manager, sets output, ends with its exit code
  local code mended='' until=$((SECONDS + lock_seconds))
  while true; do
    code=0
    output=$("$@" 2>&1 </dev/null) || code=$?
    [[ -z $output ]] || printf '%s\n' "$output"
    ((code != 0)) || return 0
    case $code:$output in
      200:* | *'Could not get lock'* | *'Unable to acquire the dpkg'* | *'Unable to lock'* | *'locked by another'* | *'transaction lock'*)
        ((SECONDS < until)) || fail PackageLockBusy "another process has held the lock of $1 for $lock_seconds s"
        sleep "$((until - SECONDS < 5 ? 1 : 5))"
        ;;
      *'dpkg was interrupted'*)
        [[ -z $mended ]] || return "$code"
        mended=yes
        dpkg --configure -a --force-confdef --force-confold </dev/null || true
        ;;
      *) return "$code" ;;
    esac
  done
}

apt_get() {
  with_lock apt-get -q -y -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" ||
    fail PackagesFailed "apt-get ended with exit code $?, see above"
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
