#!/usr/bin/env bash
# Makes an installed host a hybrid node of EKS. A host that SSM knows already is warm: two units are enabled, nothing is
# downloaded, registered or used up. Else it is cold: it registers once, with the activation of the join Secret, and keeps
# that identity from then on.
#
#   SSM registration and nodeConfig.yaml there ──yes──> warm: enable --now containerd kubelet
#              └─no─> activation given ──yes──> cold: nodeadm init, then nodeConfig.yaml
#                           └─no─> ActivationRequired
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

registration=/var/lib/amazon/ssm/registration
agent_log=/var/log/amazon/ssm/amazon-ssm-agent.log
config=/etc/nodeadm/nodeConfig.yaml           # is there once nodeadm init has succeeded, and holds no secret
pending=/etc/nodeadm/nodeConfig.pending.yaml # with the activation, as long as nodeadm needs it
cluster=${KPSSH_VAR_clusterName:-}
region=${KPSSH_VAR_region:-}
join_seconds=${KPSSH_VAR_joinSeconds:-60}

main() {
  hide_secrets
  check
  if is_warm; then
    echo "Warm: registered as $(registered_as)"
    start
  else
    check_activation
    initialize
  fi
  wait_until_running
}

# What can be known to go wrong is said before anything is changed.
check() {
  local name
  need KPSSH_VAR_clusterName KPSSH_VAR_region
  check_var clusterName "$cluster" '[0-9A-Za-z][-_0-9A-Za-z]*'
  check_var joinSeconds "$join_seconds" '[0-9]+'
  check_address
  for name in nodeadm kubelet; do
    type -P "$name" >/dev/null || fail NotInstalled "there is no $name on this host, run install first"
  done
  printf -v begun '%(%s)T' -1
  ((begun > 1735689600)) || fail ClockSkew "the clock was never set, it says $(date -u +%F)"
  check_identity
}

# A host has one identity, and nodeadm would use it whatever it is asked for.
check_identity() {
  local now
  [[ -n $(registered_as) ]] || return 0
  now=$(registered_in)
  [[ $now == "$region" ]] ||
    fail WrongRegion "this host is registered as $(registered_as) in $now, the var region says $region: run uninstall first"
  [[ ! -s $config ]] || grep -qE "^ +name: *[\"']?${cluster}[\"']? *$" "$config" ||
    fail WrongCluster "this host was initialized for another cluster than \"$cluster\": run uninstall first"
}

is_warm() {
  [[ -s $config && -n $(registered_as) ]] && ! is_lost
}

# The agent's own words about this very id: somebody deregistered it in AWS.
is_lost() {
  grep -qs "Not existing InstanceId $(registered_as)" "$agent_log"
}

check_activation() {
  local why='this host is not registered'
  if [[ -n $(registered_as) ]]; then
    why="this host is registered as $(registered_as) but was never initialized"
    ! is_lost || why="AWS has no $(registered_as) any more, as which this host was registered"
  elif [[ -e $registration ]]; then
    why='the registration of this host is damaged'
  fi
  activation_id=${KPSSH_SECRET_ACTIVATIONID:-} activation_code=${KPSSH_SECRET_ACTIVATIONCODE:-}
  activation_id=${activation_id//[[:space:]]/} activation_code=${activation_code//[[:space:]]/}
  [[ -n $activation_id && -n $activation_code ]] ||
    fail ActivationRequired "$why, and the join Secret has no activationId and activationCode"
  [[ $activation_id =~ ^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$ ]] || fail ActivationInvalid "the activation id is no UUID"
  [[ $activation_code =~ ^[-+/=A-Za-z0-9]{20,250}$ ]] || fail ActivationInvalid "the activation code has not the form of one"
  echo "Cold: $why"
}

initialize() {
  local output code=0
  systemctl stop kubelet containerd || true
  if is_lost || [[ -z $(registered_as) ]]; then
    rm -f "$registration" # nodeadm takes any such file for a registration
  fi
  mkdir -p "${config%/*}"
  (umask 077 && put $pending) <<CONFIG
$(node_config_head)
  hybrid:
    ssm:
      activationId: "$activation_id"
      activationCode: "$activation_code"
$(node_config_tail)
CONFIG
  systemctl unmask containerd kubelet
  output=$(nodeadm init --config-source "file://$pending" 2>&1) || code=$?
  output=${output//"$activation_id"/[activation id]}
  printf '%s\n' "${output//"$activation_code"/[activation code]}"
  rm -f $pending
  ((code == 0)) || explain_nodeadm "$output" "$code"
  [[ -n $(registered_as) ]] || fail NotRegistered "nodeadm init ended well, but there is no registration in $registration"
  { node_config_head && node_config_tail; } | put $config
  start
  echo "Registered as $(registered_as)"
}

node_config_head() {
  cat <<CONFIG
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: "$cluster"
    region: "$region"
CONFIG
}

node_config_tail() {
  echo '  kubelet:'
  echo '    flags:'
  [[ -z ${KPSSH_TAINTS:-} ]] || echo "      - \"--register-with-taints=$KPSSH_TAINTS\""
  [[ -z ${KPSSH_NODE_LABELS:-} ]] || echo "      - \"--node-labels=$KPSSH_NODE_LABELS\""
  ! is_ip_literal "${KPSSH_NODE_ADDRESS:-}" || echo "      - \"--node-ip=$KPSSH_NODE_ADDRESS\""
  indented '    config:' "${KPSSH_VAR_kubeletConfigExtra:-}"
  # nodeadm writes containerd's configuration anew: what a GPU's runtime needs in it belongs here.
  [[ -z ${KPSSH_VAR_containerdConfigExtra:-} ]] || echo '  containerd:'
  indented '    config: |' "${KPSSH_VAR_containerdConfigExtra:-}"
}

indented() { # indented KEY LINES: nothing without lines
  [[ -z $2 ]] || printf '%s\n%s\n' "$1" "      ${2//$'\n'/$'\n'      }"
}

start() {
  systemctl unmask containerd kubelet
  systemctl daemon-reload
  systemctl enable --now containerd
  systemctl enable --now kubelet
}

# The Node has a name that we do not know, so the control plane looks for it. Here only a kubelet that does not last is found.
wait_until_running() {
  local second lasting=0
  for ((second = 0; second < join_seconds && lasting < 3; second++)); do
    if [[ $(systemctl is-active kubelet) == active ]]; then ((++lasting)); else lasting=0; fi
    sleep 1
  done
  if ((lasting < 3)); then
    journalctl -u kubelet --since "@$begun" -n 50 --no-pager -o cat >&2 || true
    fail KubeletNotRunning "the kubelet did not run for 3 s within $join_seconds s, see above"
  fi
  echo "Joined as $(registered_as)"
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

put() { # put FILE: stdin becomes the file, in one step
  rm -f "$1.kpssh-new"
  cat >"$1.kpssh-new"
  mv "$1.kpssh-new" "$1"
}

is_ip_literal() { # is_ip_literal TEXT: a name is no node address
  [[ $1 == *:* || $1 =~ ^[0-9]+(\.[0-9]+){3}$ ]]
}

registered_as() { # the id that SSM gave this host; nothing where it is not registered, or only half
  registration_value ManagedInstanceID 'mi-[0-9a-f]+'
}

registered_in() {
  registration_value Region '[a-z0-9-]+'
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
