# Starts a run, at most one at a time and only in the order of fences, or finds that this very run is already known.

start() {
  check_prerequisites
  take_payload
  wait_for_turn
  carry_on
}

# Comes back with the lock, and only for a run that nobody has started yet.
wait_for_turn() {
  prepare_directories
  read_started
  [[ -z $kp_started_boot ]] || attach_to_known
  refuse_unless_in_order
  take_lock || attach_to_known
  read_started # once more: somebody may have started, this very run too, before the lock was ours
  [[ -z $kp_started_boot ]] || { exec 9>&-; attach_to_known; }
  refuse_unless_in_order
}

carry_on() {
  recover
  prune
  write_files || { forget_secrets "$kp_id"; : >"$kp_volatile/current"; unable StateNotWritable "$kp_state or $kp_volatile"; }
  hand_over
  watch "$kp_end_of_run"
}

check_prerequisites() {
  local tool missing=()
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || unable BashTooOld "$BASH_VERSION"
  [[ $EUID == 0 || -n ${KPSSH_ROOT:-} ]] || unable NotRoot "uid $EUID" # a sandbox is its own user's
  for tool in flock setsid mkdir mv rm cat head tail wc timeout; do
    type -P "$tool" >/dev/null || missing+=("$tool")
  done
  ((${#missing[@]} == 0)) || unable MissingPrerequisite "${missing[*]}"
}

# The sections of stdin that follow this program, by length in bytes. One that is cut short is never run.
take_payload() {
  local name length
  for name in script redact supervisor; do
    length=kp_${name}_length
    ((${!length} == 0)) || IFS= read -r -N "${!length}" "kp_$name" || unable RequestCutShort "stdin ended in the $name"
  done
}

prepare_directories() {
  [[ -d $kp_state/runs && -d $kp_volatile && -O $kp_state && -O $kp_volatile ]] && return
  mkdir -p "$kp_state" "$kp_state/runs" "$kp_volatile" || unable StateNotWritable "$kp_state or $kp_volatile"
} 2>/dev/null

refuse_unless_in_order() {
  local now
  [[ -z $kp_owner || $kp_owner == "$kp_installation" ]] || refuse ForeignInstallation "$kp_owner"
  printf -v now '%(%s)T' -1
  ((now > 1735689600)) || now=1735689600 # a board without a clock battery wakes up long before 2025
  ((now > kp_adopted)) || now=$kp_adopted
  ((kp_fence <= now + 315360000)) || refuse FenceAbsurd "$now"
  ((kp_fence > kp_highest)) || refuse FenceStale "$kp_highest"
}

# A run holds the lock for as long as it lives; one who is about to start or to look holds it for a moment.
take_lock() { # fails if somebody was faster with this very run
  local try
  exec 9>>"$kp_volatile/lock" || unable StateNotWritable "$kp_volatile/lock"
  for try in {1..25}; do
    flock -n 9 && return
    read_current
    if [[ $kp_current == "$kp_id" ]]; then
      read_started
      [[ -z $kp_started_boot ]] || { exec 9>&-; return 1; }
    elif [[ -n $kp_current ]] && ! has_outcome "$kp_current"; then
      refuse RunInProgress "$kp_current"
    fi
    flock -w 0.2 9 && return
  done
  refuse RunInProgress "${kp_current:-unknown}"
}

# Keeps the records of the last 20 runs and the last adoption, and the output of none but the last.
prune() {
  local line id phase adoption=() gone=()
  read_current
  [[ -s $kp_volatile/$kp_current.output ]] && : >"$kp_volatile/$kp_current.output"
  ((${#kp_lines[@]} >= 40)) || return 0
  for line in "${kp_lines[@]:0:${#kp_lines[@]}-19}"; do
    read -r _ _ id phase _ <<<"$line"
    [[ $phase != adopt ]] || adoption=("$line")
    gone+=("$kp_state/runs/$id".{outcome,o,e} "$kp_volatile/$id.output")
  done
  printf '%s\n' "${adoption[@]}" "${kp_lines[@]: -19}" >"$kp_state/started.new" && mv "$kp_state/started.new" "$kp_state/started"
  rm -f "${gone[@]}"
}

# In this order: whoever reads that a run was started finds it to be the current one, and whoever reads that it is the
# current one and gets the lock knows that nobody keeps it.
write_files() {
  local base=$kp_volatile/$kp_id
  printf '%s' "$kp_script" >"$base.script" &&
    printf '%s' "$kp_redact" >"$base.redact" &&
    : >"$base.output" &&
    {
      declare -p kp_id kp_state kp_volatile kp_umask kp_locale kp_timeout_ms kp_grace_ms kp_script_offset
      printf '%s' "$kp_supervisor"
    } >"$base.run" &&
    printf '%s -\n' "$kp_id" >"$kp_volatile/current" &&
    printf '\n%s %s %s %s %s %(%s)T %s .\n' "$kp_fence" "$kp_installation" "$kp_id" "$kp_phase" "$kp_boot" -1 "$kp_profile" \
      >>"$kp_state/started"
} 2>/dev/null

hand_over() {
  exec {kp_end_of_run}< <(detach)
  exec 9>&-
  say started
}

# Out of the reach of the connection's end. Where systemd runs, a scope of its own keeps the run together and ends it even
# if its supervisor cannot; setsid is what is left where systemd does not run or is too old to do that.
detach() {
  local run=(setsid bash "$kp_volatile/$kp_id.run") seconds=$(((kp_timeout_ms + kp_grace_ms) / 1000 + 30))
  exec </dev/null 2>"$kp_volatile/$kp_id.log"
  if [[ -d ${KPSSH_ROOT:-}/run/systemd/system ]] && type -P systemd-run >/dev/null; then
    systemd-run --scope --quiet --collect --unit="kpssh-$kp_id" --property=RuntimeMaxSec="$seconds" "${run[@]}" && exit
    [[ -e $kp_volatile/$kp_id.run && ! -e $kp_volatile/$kp_id.trap ]] || exit 0 # it was begun
  fi
  exec "${run[@]}"
}
