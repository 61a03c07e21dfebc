# Follows a run that was started, until it ends or the time to wait is over. Nothing here disturbs the run.

attach() {
  read_started
  [[ -n $kp_started_boot ]] || { say unknown; finish; }
  attach_to_known
}

attach_to_known() {
  has_outcome "$kp_id" || find_out
  watch ""
}

# Without an outcome a run goes on, or it was lost: with the machine's reboot, with its supervisor, or before it began.
find_out() {
  local try
  if [[ $kp_started_boot != "$kp_boot" ]]; then
    keep_lost "$kp_id"
    return
  fi
  { exec 9>>"$kp_volatile/lock"; } 2>/dev/null || { keep_lost "$kp_id"; return; }
  for try in {1..25}; do
    if flock -n 9; then # nobody keeps any run
      recover
      has_outcome "$kp_id" || keep_lost "$kp_id"
      break
    fi
    read_current
    [[ $kp_current != "$kp_id" || ! $kp_keeper =~ ^[0-9]+$ ]] || break # it goes on
    [[ -z $kp_current || $kp_current == "$kp_id" ]] || has_outcome "$kp_current" || { keep_lost "$kp_id"; break; }
    flock -w 0.1 9 && flock -u 9 # somebody is about to start or to look
  done
  exec 9>&-
}

watch() { # watch FD: a descriptor on which the end of the run is told at once, or nothing
  local wait=$kp_wait_ms brief
  if [[ -n $1 ]]; then # a run that has nothing to do ends before it is worth following its output
    printf -v brief '0.%03d' "$((wait < 300 ? wait : 300))"
    read -r -t "$brief" -u "$1" _
    ((wait -= 300))
  fi
  if ((wait >= 1000)) && ! has_outcome "$kp_id"; then
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
