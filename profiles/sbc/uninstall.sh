#!/usr/bin/env bash
# Takes off what install brought, from a board that has left: the packages that were not there before, and every file of
# ours. Refuses while the host is a member, while containers run, and while anything is mounted where it would delete.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

state=/var/lib/kpssh-profile # what install left for us to know
our_mark='# Written by kpssh. Remove this line to keep a version of your own.'
lock_seconds=300

main() {
  check
  remove_files
  remove_data
  remove_packages
  remove_directories
  restore_original /etc/containerd/config.toml
  rm -rf --one-file-system "${state:?}" # the last thing: as long as it is there, another run knows what is left to do
  systemctl daemon-reload
  echo "Uninstalled"
}

check() {
  local running
  require_off kubelet containerd
  running=$(shims)
  [[ -z $running ]] || fail ContainersRunning "containers of Kubernetes still run, processes ${running//$'\n'/, }: run leave first"
  require_no_mounts /var/lib/kubelet /run/containerd /var/lib/containerd /var/lib/cni /etc/cni /opt/cni
}

remove_files() {
  local plugin unit=/etc/systemd/system/kubelet.service config=/etc/containerd/config.toml
  rm -f /etc/kubernetes/{kubelet.conf,bootstrap-kubelet.conf,kpssh-kubelet.yaml,pki/ca.crt}{,.kpssh-new}
  rm -f /etc/modules-load.d/kpssh.conf{,.kpssh-new} /etc/sysctl.d/90-kpssh.conf{,.kpssh-new}
  rm -f "$unit.d"/90-kpssh.conf{,.kpssh-new} {"$unit","$config"}.kpssh-new
  ! is_ours "$unit" || rm -f "$unit"
  ! is_ours "$config" || rm -f "$config"
  for plugin in /opt/cni/bin/*; do
    [[ $(readlink "$plugin") != /usr/lib/cni/* ]] || rm -f "$plugin"
  done
}

# Data of what was on the host before us is not ours.
remove_data() {
  ! brought kubelet || rm -rf --one-file-system /var/lib/kubelet
  ! brought kubernetes-cni || rm -rf --one-file-system /opt/cni/bin /var/lib/cni
  ! brought containerd || rm -rf --one-file-system /var/lib/containerd /run/containerd
}

# What makes a node is removed. Tools that others may use by now are given to the next autoremove.
remove_packages() {
  local package node=() tools=()
  for package in $(cat "$state/packages" 2>/dev/null || true); do
    case $package in
      kubelet | kubernetes-cni | cri-tools | containerd) node+=("$package") ;;
      *) tools+=("$package") ;;
    esac
  done
  ((${#node[@]} == 0)) || apt_get purge --allow-change-held-packages "${node[@]}"
  ((${#tools[@]} == 0)) || apt-mark auto "${tools[@]}" || true
  rm -f "$state/packages"
  rm -f /etc/apt/sources.list.d/kpssh-kubernetes.list{,.kpssh-new} /etc/apt/keyrings/kpssh-kubernetes.asc{,.kpssh-new}
}

remove_directories() {
  rmdir --ignore-fail-on-non-empty /etc/systemd/system/kubelet.service.d /etc/kubernetes/{manifests,pki,} /etc/cni/{net.d,} /opt/cni/{bin,} \
    /etc/containerd /var/lib/kubelet 2>/dev/null || true
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

mounts_below() { # mounts_below DIRECTORY: what is mounted below it, deepest first, escaped as the kernel does
  local directory path
  directory=$(readlink -m "$1")
  while read -r _ _ _ _ path _; do
    [[ $path != "$directory"/* ]] || printf '%s\n' "$path"
  done </proc/self/mountinfo | sort -r
}

require_no_mounts() { # require_no_mounts DIRECTORY...
  local directory path
  for directory; do
    path=$(mounts_below "$directory")
    [[ -z $path ]] || fail StillMounted "nothing below $directory is removed, because of ${path//$'\n'/, }"
  done
}

brought() { # brought NAME...: whether install brought one of these packages
  local name
  for name; do
    grep -qsx "$name" "$state/packages" && return 0
  done
  return 1
}

is_ours() { # is_ours FILE: written by a phase of ours
  [[ -f $1 && $(head -n 1 "$1") == "$our_mark" ]]
}

restore_original() { # restore_original FILE
  local kept=$state/original/${1//\//%}
  [[ -e $kept ]] || return 0
  cp -a "$kept" "$1.kpssh-new"
  mv "$1.kpssh-new" "$1"
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
main
