#!/usr/bin/env bash
# Puts nodeadm and what it installs (containerd, kubelet, SSM agent) on a host, switched off and not registered with anything.
# Where nodeadm and the kubelet of the wanted version are there already, nothing is downloaded.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

state=/var/lib/kpssh-profile # what uninstall must know
version=${KPSSH_VAR_k8sVersion:-}
cluster=${KPSSH_VAR_clusterName:-}
region=${KPSSH_VAR_region:-}
lock_seconds=${KPSSH_VAR_packageLockSeconds:-300}

main() {
  hide_secrets
  check
  is_installed || install_components
  switch_off
  [[ $(kubelet_version). == "$version".* ]] || fail KubeletVersionMismatch "the kubelet on PATH is not $version but $(kubelet_version)"
  warn_of_distance
  echo "Installed and switched off: nodeadm, kubelet $version"
}

# What can be known to go wrong is said before anything is changed.
check() {
  local now
  need KPSSH_VAR_clusterName KPSSH_VAR_region KPSSH_VAR_k8sVersion
  check_var region "$region" '[a-z]{2}(-[a-z]+)+-[0-9]+'
  check_var k8sVersion "$version" '1\.[0-9]+(\.[0-9]+)?'
  check_var containerdSource "${KPSSH_VAR_containerdSource:-}" '|none|distro|docker'
  check_var nodeadmSha256 "${KPSSH_VAR_nodeadmSha256:-}" '|[0-9a-f]{64}'
  check_var packageLockSeconds "$lock_seconds" '[0-9]+'
  check_address
  check_clock
  check_disk /var/lib 2048
  now=$(kubelet_version)
  # Another version over an installed one would need an upgrade, which starts the kubelet: a host that left must not.
  [[ -z $now || -e $state/unfinished || $now. == "$version".* ]] ||
    fail VersionMismatch "the kubelet on this host is $now, the var k8sVersion says $version: run uninstall first"
}

is_installed() {
  [[ ! -e $state/unfinished && -n $(kubelet_version) ]] && has_nodeadm
}

has_nodeadm() {
  local hash
  type -P nodeadm >/dev/null || return
  [[ -n ${KPSSH_VAR_nodeadmSha256:-} ]] || return 0
  hash=$(sha256sum "$(type -P nodeadm)")
  [[ ${hash%% *} == "$KPSSH_VAR_nodeadmSha256" ]]
}

install_components() {
  mkdir -p "$state" && : >"$state/unfinished" # a kubelet that is there already would hide that other parts are not
  has_nodeadm || download_nodeadm
  # What a package of Debian starts would run for a moment as nobody has configured it.
  systemctl mask --runtime containerd || true
  with_lock nodeadm install "$version" --credential-provider ssm --region "$region" --containerd-source "$(containerd_source)" ||
    explain_nodeadm "$output" "$?"
  systemctl unmask --runtime containerd
  start_agent
  rm "$state/unfinished"
}

# Its package does that, and does not do it again where it was cut off.
start_agent() {
  local unit
  for unit in amazon-ssm-agent snap.amazon-ssm-agent.amazon-ssm-agent; do
    ! systemctl cat "$unit" >/dev/null 2>&1 || systemctl enable --now "$unit" || true
  done
}

download_nodeadm() {
  local hash machine=amd64 file=/usr/local/bin/nodeadm url=${KPSSH_VAR_nodeadmUrl:-} wanted=${KPSSH_VAR_nodeadmSha256:-}
  case $(uname -m) in
    x86_64) ;;
    aarch64) machine=arm64 ;;
    *) fail ArchitectureUnsupported "there is no nodeadm for $(uname -m)" ;;
  esac
  type -P curl >/dev/null || fail ToolMissing "curl is not on this host: install it, or put nodeadm at $file"
  mkdir -p "${file%/*}"
  [[ -e $file ]] || : >"$state/nodeadm" # it is ours to remove
  [[ -n $url ]] || url=https://hybrid-assets.eks.amazonaws.com/releases/latest/bin/linux/$machine/nodeadm
  download "$url" "$file.kpssh-got"
  hash=$(sha256sum "$file.kpssh-got")
  if [[ -n $wanted && ${hash%% *} != "$wanted" ]]; then
    rm "$file.kpssh-got"
    fail HashMismatch "nodeadm has the hash ${hash%% *}, the var nodeadmSha256 says $wanted"
  fi
  chmod 755 "$file.kpssh-got"
  mv "$file.kpssh-got" "$file"
}

containerd_source() { # Red Hat has no containerd of its own
  local id
  # shellcheck source=/dev/null
  id=$(. /etc/os-release && echo "$ID")
  if [[ -n ${KPSSH_VAR_containerdSource:-} ]]; then
    echo "$KPSSH_VAR_containerdSource"
  elif [[ $id == rhel ]]; then
    echo docker
  else
    echo distro
  fi
}

# The SSM agent goes on running: it keeps the host's identity fresh and makes it no node.
switch_off() {
  systemctl daemon-reload
  systemctl disable --now kubelet || true
  systemctl disable --now containerd || true
  require_off kubelet containerd
}

warn_of_distance() {
  local seconds
  type -P curl >/dev/null && [[ -n ${KPSSH_CLUSTER_ENDPOINT:-} ]] || return 0
  seconds=$(curl -sko /dev/null --noproxy '*' --max-time 10 -w '%{time_connect}' "$KPSSH_CLUSTER_ENDPOINT/version") || return 0
  [[ ! $seconds =~ ^(0\.[2-9]|[1-9]) ]] || echo "The cluster is $seconds s away; EKS wants less than 0.2 s for hybrid nodes"
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

check_address() { # hybrid nodes are IPv4
  [[ ${KPSSH_NODE_ADDRESS:-} != *:* ]] || fail AddressUnsupported "EKS takes no hybrid node with the IPv6 address $KPSSH_NODE_ADDRESS"
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

kubelet_version() { # 1.34.2, or nothing where there is no kubelet
  local version
  version=$(kubelet --version 2>/dev/null) || return 0
  [[ ! $version =~ v(1\.[0-9]+\.[0-9]+) ]] || echo "${BASH_REMATCH[1]}"
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

download() { # download URL FILE
  curl -fsSL --retry 3 --connect-timeout 10 -o "$2.kpssh-new" "$1" || fail DownloadFailed "$1 cannot be fetched, see above"
  mv "$2.kpssh-new" "$2"
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
