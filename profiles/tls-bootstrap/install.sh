#!/usr/bin/env bash
# Puts containerd, the kubelet, network plugins and what they call on a host, switched off. Where a kubelet of the wanted
# minor and containerd are there already, no package is touched and nothing is downloaded.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

state=/var/lib/kpssh-profile # what uninstall must know
our_mark='# Written by kpssh. Remove this line to keep a version of your own.'
minor=${KPSSH_VAR_k8sMinor:-}
wanted_driver=${KPSSH_VAR_cgroupDriver:-}
swap=${KPSSH_VAR_swap:-fail}
lock_seconds=${KPSSH_VAR_packageLockSeconds:-300}
systemd_cgroup=true
[[ $wanted_driver != cgroupfs ]] || systemd_cgroup=false

main() {
  hide_secrets
  check
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
  check_clock
  check_swap
  check_kept_configuration
  if is_installed; then
    check_disk /var/lib 512
  else
    check_disk /var/lib 2048
    package_family >/dev/null
  fi
}

# A configuration that came with the host is not ours to write: its cgroup driver is what it is.
check_kept_configuration() {
  local file=/etc/containerd/config.toml
  if [[ -e $file ]] && type -P containerd >/dev/null && ! is_ours "$file" && ! brought containerd containerd.io; then
    check_driver
  fi
}

is_installed() {
  [[ ! -e $state/unfinished && $(kubelet_minor) == "$minor" ]] && type -P containerd >/dev/null
}

install_packages() {
  local family missing
  mkdir -p "$state" && : >"$state/unfinished" # packages that are there already would hide that others are not
  family=$(package_family)
  mapfile -t missing < <(missing_tools "$family")
  [[ -e /opt/cni/bin/loopback ]] || missing+=(kubernetes-cni)
  type -P kubelet >/dev/null || record_packages kubelet
  # What packages of Debian start would run for a moment as nobody has configured it.
  systemctl mask --runtime kubelet containerd || true
  "install_on_$family"
  systemctl unmask --runtime kubelet containerd
  rm "$state/unfinished"
}

install_on_debian() {
  local repository="https://pkgs.k8s.io/core:/stable:/v$minor/deb/"
  local key=/etc/apt/keyrings/kpssh-kubernetes.asc list=/etc/apt/sources.list.d/kpssh-kubernetes.list
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
  apt_get update
  apt_get install --no-install-recommends --allow-downgrades --allow-change-held-packages \
    "${missing[@]}" "kubelet=$minor.*"
  apt-mark hold kubelet
}

install_on_redhat() {
  local id major source=centos url="https://pkgs.k8s.io/core:/stable:/v$minor/rpm"
  # shellcheck source=/dev/null
  read -r id major < <(. /etc/os-release && echo "$ID" "${VERSION_ID%%.*}")
  if ! type -P containerd >/dev/null; then
    case $id in
      amzn | fedora) missing+=(containerd) ;;
      *)
        [[ $id != rhel ]] || source=rhel
        add_repository containerd "https://download.docker.com/linux/$source/$major/\$basearch/stable" \
          "https://download.docker.com/linux/$source/gpg"
        missing+=(containerd.io)
        ;;
    esac
  fi
  record_packages "${missing[@]}"
  add_repository kubernetes "$url/" "$url/repodata/repomd.xml.key" # excluded, so that an upgrade of the host passes them by
  dnf_now install --disableexcludes=kpssh-kubernetes "${missing[@]}" "kubelet-$minor.*"
}

add_repository() { # add_repository NAME URL KEY-URL
  put "/etc/yum.repos.d/kpssh-$1.repo" <<REPOSITORY
[kpssh-$1]
name=$1
baseurl=$2
enabled=1
gpgcheck=1
gpgkey=$3
exclude=kubelet kubeadm kubectl kubernetes-cni cri-tools
REPOSITORY
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

package_family() {
  if type -P apt-get >/dev/null; then
    echo debian
  elif type -P dnf >/dev/null; then
    echo redhat
  else
    fail PackageManagerMissing "neither apt-get nor dnf is on this host"
  fi
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

dnf_now() { # fails with 200 where another dnf is at work, instead of waiting for ever
  with_lock dnf -y --setopt=exit_on_lock=True "$@" || fail PackagesFailed "dnf ended with exit code $?, see above"
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
