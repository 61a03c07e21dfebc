# Which processes belong to a run: those of its supervisor's session, those of its systemd scope, and what descends from
# its script wherever it went. A process outside all three has been handed to somebody else.

signal_run() { # signal_run SIGNAL LEADER RUN [ROOT [SPARED...]]
  local signal=$1 leader=$2 run=$3 root=${4:-none} stat line pid cgroups fields
  local -A parent=() session=() chosen=() spared=()
  local -a ordered=()
  for pid in "${@:5}"; do spared[$pid]=1; done
  for stat in /proc/[0-9]*/stat; do
    { read -r line <"$stat"; } 2>/dev/null || continue
    pid=${line%% *}
    read -r -a fields <<<"${line##*) }"
    parent[$pid]=${fields[1]} session[$pid]=${fields[3]}
  done
  for pid in "${!parent[@]}"; do
    [[ -z ${spared[$pid]:-} ]] || continue
    [[ -z ${spared[${parent[$pid]}]:-} || ${parent[$pid]} == "$root" ]] || continue
    if [[ ${session[$pid]} == "$leader" ]] || descends "$pid" "$root"; then
      chosen[$pid]=1
    elif { mapfile -t cgroups <"/proc/$pid/cgroup"; } 2>/dev/null && [[ ${cgroups[*]} == */kpssh-"$run".scope* ]]; then
      chosen[$pid]=1
    fi
  done
  unset "chosen[$$]" "chosen[$BASHPID]"
  order_by_descent
  ((${#ordered[@]} == 0)) || kill "-$signal" "${ordered[@]}" 2>/dev/null
}

# A shell whose command ends before the shell itself is signaled goes on with the next line: those who wait come first.
order_by_descent() { # order_by_descent, from `chosen` and `parent` to `ordered`
  local pid above depth
  ordered=()
  for pid in "${!chosen[@]}"; do
    above=${parent[$pid]}
    for ((depth = 0; depth < 1000; depth++)); do
      [[ -n ${chosen[$above]:-} ]] || break
      above=${parent[$above]}
    done
    ordered[depth << 22 | pid]=$pid # Linux knows no process number above 2^22
  done
}

descends() { # descends PID ROOT, by the parents that signal_run has read
  local pid=$1
  while [[ -n ${parent[$pid]:-} && $pid -gt 1 ]]; do
    [[ ${parent[$pid]} == "$2" ]] && return 0
    pid=${parent[$pid]}
  done
  return 1
}

is_alive() { # is_alive PID: more than a zombie
  local line
  { read -r line <"/proc/$1/stat"; } 2>/dev/null && [[ ${line##*) } != [ZX]* ]]
}

# Ends what a run left behind whose supervisor died. A number that leads a living process belongs to another session now.
recover() {
  read_current
  [[ -n $kp_current ]] && ! has_outcome "$kp_current" || return 0
  [[ $kp_current != "$kp_id" || -n $kp_started_boot ]] || return 0 # it was about to start and never did
  is_alive "$kp_keeper" && kp_keeper=none
  signal_run KILL "$kp_keeper" "$kp_current"
  forget_secrets "$kp_current"
  keep_lost "$kp_current"
}

forget_secrets() { # forget_secrets RUN: everything but the redacted output
  rm -f "$kp_volatile/$1".{script,parameters,redact,run,trap,line,log,o.0,o.1,o.n,e.0,e.1,e.n}
}

keep_lost() { # keep_lost RUN
  printf 'lost - 0 -\nend\n' >"$kp_state/runs/$1.outcome"
}
