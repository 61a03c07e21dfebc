#!/usr/bin/env bash
# Takes off what install brought, from a host that has left, the node password and the images with it. Refuses while the host
# is a member, while containers run, and while anything is mounted where it would delete.
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

state=/var/lib/kpssh-profile # what install left for us to know
our_mark='# Written by kpssh. Remove this line to keep a version of your own.'

main() {
  local unit=/etc/systemd/system/k3s-agent.service
  check
  rm -f /etc/rancher/k3s/kpssh-token{,.kpssh-new} /etc/rancher/k3s/config.yaml.d/90-kpssh.yaml{,.kpssh-new}
  ! is_ours "$unit" || rm -f "$unit"
  rm -f "$unit.kpssh-new"
  restore_original "$unit"
  remove_k3s
  rmdir --ignore-fail-on-non-empty /etc/rancher/{k3s/config.yaml.d,k3s,} /var/lib/cni 2>/dev/null || true
  rm -rf --one-file-system "${state:?}" # the last thing: as long as it is there, another run knows what is left to do
  systemctl daemon-reload
  echo "Uninstalled"
}

check() {
  local running
  require_off k3s-agent
  running=$(shims)
  [[ -z $running ]] || fail ContainersRunning "containers of Kubernetes still run, processes ${running//$'\n'/, }: run leave first"
  require_no_mounts /var/lib/kubelet /var/lib/rancher /run/k3s /var/lib/cni
}

# A k3s that was on the host before us is not ours, and neither is its data.
remove_k3s() {
  [[ -e $state/k3s ]] || return 0
  rm -f /usr/local/bin/k3s{,.kpssh-got,.kpssh-got.kpssh-new}
  rm -rf --one-file-system /var/lib/rancher/k3s /var/lib/kubelet /run/k3s /etc/rancher/node
  rmdir --ignore-fail-on-non-empty /var/lib/rancher 2>/dev/null || true
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

is_ours() { # is_ours FILE: written by a phase of ours
  [[ -f $1 && $(head -n 1 "$1") == "$our_mark" ]]
}

restore_original() { # restore_original FILE
  local kept=$state/original/${1//\//%}
  [[ -e $kept ]] || return 0
  cp -a "$kept" "$1.kpssh-new"
  mv "$1.kpssh-new" "$1"
}
main
