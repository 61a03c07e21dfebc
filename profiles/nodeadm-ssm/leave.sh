#!/usr/bin/env bash
# Disables kubelet and containerd and nothing else, but for the activation that a join left which was cut off. The SSM
# registration is the identity of this host: without it every join would be cold and use up an activation.
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin

main() {
  systemctl disable --now kubelet || systemctl stop kubelet || true
  systemctl disable --now containerd || systemctl stop containerd || true
  rm -f /etc/systemd/system/*.wants/{kubelet,containerd}.service # systemctl leaves them to a unit that is masked
  require_off kubelet containerd
  rm -f /etc/nodeadm/nodeConfig.pending.yaml{,.kpssh-new} /etc/nodeadm/nodeConfig.yaml.kpssh-new
  echo "Left: kubelet and containerd are stopped and disabled"
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
main
