# Follows a run that was started, until it ends or the time to wait is over. Nothing here disturbs the run.

attach() {
  read_started
  [[ -n $kp_started_boot ]] || { say unknown; finish; }
  attach_to_known
}

attach_to_known() {
  if ! has_outcome "$kp_id"; then
    read_current
    exec 9>>"$kp_volatile/lock"
    if [[ $kp_started_boot != "$kp_boot" || $kp_current != "$kp_id" ]]; then
      keep_lost "$kp_id"
    elif flock -n 9; then # nobody keeps it any more
      recover
    fi
    exec 9>&-
  fi 2>/dev/null
  watch ""
}

watch() { # watch FD: a descriptor on which the end of the run is told at once, or nothing
  local wait=$kp_wait_ms brief
  if [[ -n $1 ]]; then # a run that has nothing to do ends before it is worth following its output
    printf -v brief '0.%03d' "$((wait < 300 ? wait : 300))"
    read -r -t "$brief" -u "$1" _
    ((wait -= 300))
  fi
  if ((wait > 0)) && ! has_outcome "$kp_id"; then
    read_current
    say output
    timeout "$((wait / 1000 + 1))" tail -c "+$((kp_offset + 1))" -s 0.2 --pid="$kp_keeper" -f "$kp_volatile/$kp_id.output"
  elif [[ -s $kp_volatile/$kp_id.output ]]; then
    say output
    tail -c "+$((kp_offset + 1))" "$kp_volatile/$kp_id.output"
  fi 2>/dev/null
  report
}

report() {
  local outcome
  has_outcome "$kp_id" || { say running; finish; }
  read -r outcome <"$kp_state/runs/$kp_id.outcome"
  say finished "$outcome"
  say_file stdout "$kp_state/runs/$kp_id.o"
  say_file stderr "$kp_state/runs/$kp_id.e"
  finish
}
