#!/bin/bash
# What every stub of the sandbox begins with: recording, steering, steps. Sourced, never run.
#
# The world is steered by files in /.sandbox/steer. steer/<command> is bash that the stub of that command reads before it does
# anything of its own, with the command's arguments as "$@" and the functions below; it may print and exit, or fall through:
#
#   steer/apt-get   package_lock_held 3            the lock is held for the next 3 calls, then it is free (also: dnf, nodeadm)
#   steer/curl      download_fails '*Release.key'  what matches cannot be fetched (also: wget)
#   steer/kubelet   unit_fails 'x509: …'           the daemon ends with 1 as soon as it has said so (also: containerd, k3s)
#   steer/nodeadm   [[ $1 != init ]] || says_and_ends 1 'InvalidActivation: …'
#   steer/<any>     times 2 && says_and_ends 1 '…' only the first 2 calls
#
# A file that is named like no command holds one value:
#
#   family               debian | redhat            of which distribution the machine is
#   address              192.0.2.11                 of eth0
#   default-device       eth0                       of the default route
#   pods                 1                          pods that a node gets as soon as its kubelet has credentials
#   kubelet-certificate  granted | never | denied   what becomes of the kubelet's request; denied: the token is not known
#   kubelet-says         words                      the kubelet ends with 1 when it is started, with these words in its journal
#   k3s-says             words                      the same for the k3s agent
#   containerd-cgroup    cgroupfs | systemd         what `containerd config default` has for SystemdCgroup; cgroupfs
#   kubernetes-patch     2                          x of the newest 1.y.x in the package repository
#   clock-skew-seconds   0                          by how much the cluster's clock is ahead
#   free-mib             20000                      what df says
#   swaps                (text of /proc/swaps)      what swap is on; swaps-at-boot: the same after every boot. `swap_on` writes both
#
# `mask_unit UNIT` masks as an administrator would; `cgroup_v1` takes away what tells that control groups are of version 2.
sandbox=/.sandbox
volatile=$sandbox/volatile
steering=$sandbox/steer
command_name=${0##*/}
swaps_head='Filename				Type		Size		Used		Priority'
set -euo pipefail

# Without a fork, since this is what every call of every program costs.
record() { # record PROGRAM ARGUMENT...
  local environment number=${EPOCHREALTIME//[!0-9]/}
  [[ -d $sandbox/record ]] || return 0
  mapfile -d '' -t environment </proc/self/environ
  set -o noclobber # of two calls in the same microsecond
  until { printf '%s\0' "$@" '' "${environment[@]}" >"$sandbox/record/$number-${1##*/}"; } 2>/dev/null; do
    ((++number))
  done
  set +o noclobber
}

steer() { # steer COMMAND ARGUMENT...
  local fragment=$steering/$1
  shift
  # shellcheck source=/dev/null
  [[ ! -s $fragment ]] || . "$fragment" "$@" || true
}

# Between two effects of one program: whoever drives the run may end it here.
step() { # step WORDS...
  { printf '0 %s\n' "$*" >&77; } 2>/dev/null || return 0
  read -r -N 1 -u 78 _ 2>/dev/null || true
}

begin() { # begin ARGUMENT...: what a stub has to do first
  record "$0" "$@"
  steer "$command_name" "$@"
}

# Functions that answer in REPLY, because a command substitution is a fork.
value() { # value NAME DEFAULT: the first line of a steering file
  REPLY=''
  [[ ! -r $steering/$1 ]] || IFS= read -r REPLY <"$steering/$1" || true
  [[ -n $REPLY ]] || REPLY=$2
}

text_of() { # text_of FILE: without what follows a NUL; nothing where there is no such file
  REPLY=''
  [[ ! -f $1 ]] || IFS= read -r -d '' REPLY <"$1" || true
}

says_and_ends() { # says_and_ends CODE WORDS...
  printf '%s\n' "${@:2}" >&2
  exit "$1"
}

times() { # times N: true for the first N calls of this command
  local file=$volatile/counts/$command_name
  mkdir -p "$volatile/counts"
  text_of "$file"
  (($1 > ${REPLY:-0})) || return 1
  printf '%s' "$((${REPLY:-0} + 1))" >"$file"
}

package_lock_held() { # package_lock_held N
  times "$1" || return 0
  case $command_name in
    dnf) says_and_ends 200 'Failed to obtain the transaction lock (logged in as: root).' ;;
    *)
      says_and_ends 100 \
        'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 512 (unattended-upgr)' \
        'E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?'
      ;;
  esac
}

unit_fails() { # unit_fails WORDS...: only as the daemon of a unit, not when it is called for its version
  [[ -z ${KPSSH_SANDBOX_UNIT:-} ]] || says_and_ends 1 "$@"
}

# Called by a fragment, so the arguments of the stub are those of the whole script.
download_fails() { # download_fails [PATTERN]
  local argument
  for argument in "${BASH_ARGV[@]}"; do
    # shellcheck disable=SC2053 # the pattern is one
    [[ $argument == http* && $argument == ${1:-*} ]] || continue
    says_and_ends 22 'curl: (22) The requested URL returned error: 503'
  done
}

serve() { # a daemon of ours is up: it has done at once what it would do while it runs
  [[ -n ${KPSSH_SANDBOX_UNIT:-} ]] || says_and_ends 1 "$command_name: the sandbox runs it as a unit only"
  printf active >"$volatile/units/$KPSSH_SANDBOX_UNIT"
  exit 0
}

# /proc/swaps shows steer/swaps, so it is written in place.
swap_on() {
  printf '%s\n' "$swaps_head" '/swapfile                               file		1048572		0		-2' >"$steering/swaps"
  cp "$steering/swaps" "$steering/swaps-at-boot"
}

swap_off() { # until the next boot
  printf '%s\n' "$swaps_head" >"$steering/swaps"
}

mask_unit() { # mask_unit UNIT
  mkdir -p /etc/systemd/system
  ln -sfn /dev/null "/etc/systemd/system/$1"
}

cgroup_v1() {
  rm -f /sys/fs/cgroup/cgroup.controllers
}
