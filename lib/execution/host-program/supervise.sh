# Keeps one run from its start to its outcome, detached from the connection that asked for it. It holds the lock (9) and
# hears of everything as lines on one pipe (6), whose other end is the stdout of those who carry the run out: `relay PID` and
# `closed` from each relay of output, `exit CODE` when the script has ended.

supervise() {
  local base=$kp_volatile/$kp_id begun open=2 code='' kind=exited line=- event
  LC_ALL=C
  umask 077
  set -m # children keep the default dispositions of SIGINT and SIGQUIT
  printf '%s %s\n' "$kp_id" "$$" >"$kp_volatile/current"
  uptime_ms && begun=$kp_uptime
  # shellcheck source=/dev/null
  . "$base.redact" # kp_secrets, kp_words and may_hold_secret
  exec 6< <(carry_out)
  kp_parent=$!
  kp_spared=("$kp_parent")
  until_exit "$((begun + kp_timeout_ms))" || {
    kind=timed-out
    end_script
  }
  [[ -n $code || $kind == timed-out ]] || kind=killed # nobody is left to tell
  until_closed
  uptime_ms
  [[ $code == 0 ]] || read_failed_line
  keep_output
  forget_secrets "$kp_id"
  [[ $kind == exited ]] || code=-
  printf '%s %s %s %s\nend\n' "$kind" "$code" "$((kp_uptime - begun))" "$line" >"$kp_state/runs/$kp_id.outcome"
  printf 'ended\n' # to the one who started it, if it still listens
}

# The script's parent. It has a process group of its own, so that a script that signals its group does not reach it.
carry_out() {
  exec 9>&-
  exec 4> >(relay o) 5> >(relay e)
  set -m
  run_script &
  exec 4>&- 5>&-
  wait "$!"
  printf 'exit %s\n' "$?"
}

uptime_ms() { # sets kp_uptime; no clock that somebody sets
  read -r kp_uptime _ </proc/uptime
  kp_uptime=${kp_uptime/./}0
}

next_event() { # next_event MS: sets event; fails when the time is over, and with an empty event when nobody is left
  local seconds
  event='(none)'
  (($1 > 0)) || return 1
  printf -v seconds '%d.%03d' "$(($1 / 1000))" "$(($1 % 1000))"
  read -r -t "$seconds" -u 6 event && return
  (($? <= 128)) || return 1
  event=''
}

# Reads events until the script ended, or nobody is left to tell, or the uptime is reached, when it fails.
until_exit() { # until_exit UPTIME
  while [[ -z $code ]]; do
    uptime_ms
    next_event "$(($1 - kp_uptime))" || return 1
    case $event in
      relay\ *) kp_spared+=("${event#relay }") ;;
      closed) ((open--)) ;;
      exit\ *) code=${event#exit } ;;
      '') return 0 ;;
    esac
  done
}

end_script() {
  signal_run TERM "$$" "$kp_id" "$kp_parent" "${kp_spared[@]}"
  until_exit "$((kp_uptime + kp_grace_ms))"
  signal_run KILL "$$" "$kp_id" "$kp_parent" "${kp_spared[@]}"
  until_exit "$((kp_uptime + 5000))"
}

# What the script has printed is read to its end. A daemon that it left behind may hold its output open for ever, or print
# for ever: a second without anything new is enough, and half a minute in any case.
until_closed() {
  local limit before now=none patience=200
  uptime_ms
  limit=$((kp_uptime + 30000))
  while ((open > 0)) && uptime_ms && ((kp_uptime < limit)); do
    if next_event "$patience"; then
      case $event in
        closed) ((open--)) ;;
        '') return ;;
      esac
      continue
    fi
    before=$now patience=1000
    now=$(wc -c "$kp_volatile/$kp_id.output" "$kp_volatile/$kp_id".[oe].*)
    [[ $now != "$before" ]] || return
  done 2>/dev/null
}

# The script as the host runs it: its stdin is empty, and nothing of ours is left in what it inherits but two traps. They
# write down where it failed and come from a file that bash reads first, since the script itself is not to be changed.
run_script() {
  write_traps >"$kp_volatile/$kp_id.trap"
  exec >&4 2>&5 4>&- 5>&-
  umask "$kp_umask"
  # Where the script's own bytes are not ours to add to, its environment comes in a file.
  # shellcheck source=/dev/null
  [[ ! -e $kp_volatile/$kp_id.parameters ]] || . "$kp_volatile/$kp_id.parameters"
  if [[ -n $kp_locale ]]; then LC_ALL=${kp_locale#=}; else unset LC_ALL; fi
  BASH_ENV=$kp_volatile/$kp_id.trap exec bash "$kp_volatile/$kp_id.script"
}

# A function that fails ends the script inside it, where no ERR trap follows, but the line that called it is known. The
# traps themselves never fail, whatever options the script has set.
# shellcheck disable=SC2016 # this is text for another shell
write_traps() {
  local file theirs='unset BASH_ENV'
  printf -v file '%q' "$kp_volatile/$kp_id.line"
  [[ -z ${BASH_ENV+set} ]] || printf -v theirs 'BASH_ENV=%q\n. "$BASH_ENV"' "$BASH_ENV"
  printf "trap '{ %s || :; } 2>/dev/null' %s\n" \
    'echo "$LINENO" >|'"$file" ERR \
    '[[ $? == 0 || -z ${FUNCNAME-} ]] || echo "${BASH_LINENO[-2]}" >|'"$file" EXIT
  printf '%s\n' "$theirs"
}

read_failed_line() { # sets line, counted from the script's own first
  local number
  [[ -s $kp_volatile/$kp_id.line ]] && read -r number <"$kp_volatile/$kp_id.line"
  [[ ${number:-} =~ ^[0-9]+$ ]] && ((number > kp_script_offset)) && line=$((number - kp_script_offset))
}
