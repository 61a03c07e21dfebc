#!/usr/bin/env bash
# Ends the registration and takes off what install brought, through nodeadm: the next join needs an activation and gets
# another identity. Refuses while the host is a member, while containers run, and while anything is mounted below a directory
# that nodeadm deletes: such a mount may be the host's own files, and they would go with it.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin

state=/var/lib/kpssh-profile # what install left for us to know
registration=/var/lib/amazon/ssm/registration
cluster='' region='its region'
lock_seconds=300

main() {
  check
  deregister
  rm -f /etc/nodeadm/nodeConfig{,.pending}.yaml{,.kpssh-new}
  rmdir --ignore-fail-on-non-empty /etc/nodeadm 2>/dev/null || true
  [[ ! -e $state/nodeadm ]] || rm -f /usr/local/bin/nodeadm{,.kpssh-got,.kpssh-got.kpssh-new}
  rm -rf --one-file-system "${state:?}" # the last thing: as long as it is there, another run knows what is left to do
  report_leftovers
  echo "Uninstalled"
}

check() {
  local running
  require_off kubelet containerd
  running=$(shims)
  [[ -z $running ]] || fail ContainersRunning "containers of Kubernetes still run, processes ${running//$'\n'/, }: reboot, the host stays out"
  require_no_mounts /var/lib/kubelet /run/containerd /var/lib/containerd /var/lib/cni /etc/cni
}

# Nothing is forced: what nodeadm would ask of a node is that it is drained, and this host is none.
deregister() {
  type -P nodeadm >/dev/null || return 0
  with_lock nodeadm uninstall --skip node-validation,pod-validation || explain_nodeadm "$output" "$?"
  [[ ! -e $registration ]] || fail StillRegistered "nodeadm has kept $registration of $(registered_as)"
}

report_leftovers() {
  local path
  for path in /opt/nodeadm /opt/ssm /etc/eks /eks-hybrid /etc/amazon /var/lib/amazon /var/log/amazon /root/.aws/credentials \
    /etc/containerd /var/lib/containerd /etc/cni /var/lib/cni /var/lib/kubelet; do
    [[ ! -e $path ]] || echo "nodeadm left $path behind"
  done
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

registered_as() { # the id that SSM gave this host; nothing where it is not registered, or only half
  registration_value ManagedInstanceID 'mi-[0-9a-f]+'
}

registration_value() { # registration_value NAME PATTERN
  local text=''
  [[ ! -f $registration ]] || text=$(tr -d '\n' <"$registration")
  [[ ! $text =~ \"$1\"[[:space:]]*:[[:space:]]*\"($2)\" ]] || echo "${BASH_REMATCH[1]}"
}

# Whatever AWS said, in one line. Several tools pass its words on, each in a wording of its own.
explain_nodeadm() { # explain_nodeadm OUTPUT CODE
  local output=${1,,}
  if [[ $1 =~ [Nn]ot\ authorized\ to\ perform:?\ ([a-z0-9-]+:[A-Za-z0-9]+) ]]; then
    fail "IamDenied:${BASH_REMATCH[1]}" "the role of this host's activation may not do that, allow it"
  fi
  case $output in
    *accessdenied*) fail IamDenied:unknown "the role of this host's activation lacks a permission, see above" ;;
    *requesttimetooskewed* | *'signature expired'* | *'signature not yet current'* | *'not yet valid'* | *'certificate has expired'*)
      fail ClockSkew "AWS refuses what this host signs at the time that its clock shows, set it"
      ;;
    *registrationlimit* | *'registration limit'* | *'limit reached'* | *limitexceeded*)
      fail ActivationExhausted "the activation has registered as many hosts as it may, make another one"
      ;;
    *activationexpired* | *'activation expired'* | *'activation has expired'* | *expiredtoken*)
      fail ActivationExpired "the activation is past its date, make another one"
      ;;
    *invalidactivation* | *'invalid ssm activation'* | *'invalid activation'*)
      fail ActivationInvalid "there is no such activation in $region: id, code or region is wrong, or it was deleted"
      ;;
    *'no cluster found'* | *resourcenotfound*) fail WrongRegion "there is no EKS cluster \"$cluster\" in $region" ;;
    *'no such host'* | *'could not resolve'*) fail WrongRegion "AWS has no endpoint in $region that this host can resolve" ;;
    *) fail NodeadmFailed "nodeadm ended with exit code $2, see above" ;;
  esac
}
main
