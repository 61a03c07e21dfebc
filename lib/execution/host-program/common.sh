# What every contact with a host begins with: where things are kept, how answers are framed, what is known of past runs.
# The state directory survives reboots; the volatile one (tmpfs) does not, and is the only place that ever holds secrets.
# Everything is bash >= 4.4, coreutils and util-linux; builtins are preferred because every process costs time.
kp_state=${KPSSH_ROOT:-}/var/lib/kpssh
kp_volatile=${KPSSH_ROOT:-}/run/kpssh
{ read -r _; read -r _ kp_umask; } </proc/self/status # what umask prints, without a process for it
[[ $kp_umask =~ ^[0-7]+$ ]] || kp_umask=$(umask)
umask 077

# Answers are read only from lines that begin with this contact's own random marker; everything else is noise.
say() {
  printf '\n%s %s\n' "$kp_marker" "$*"
}

finish() {
  say end
  exit 0
}

unable() { # unable REASON MESSAGE
  say unable "$@"
  finish
}

refuse() { # refuse REASON FACT
  say refused "$@"
  finish
}

say_file() { # say_file NAME FILE: a section that holds the file, left out where there is nothing
  local body
  [[ -s $2 ]] || return 0
  say "$1"
  IFS= read -r -d '' body <"$2"
  printf '%s' "$body"
}

read_boot_id() { # sets kp_boot
  local file=${KPSSH_ROOT:-}/proc/sys/kernel/random/boot_id
  [[ -r $file ]] || file=/proc/sys/kernel/random/boot_id
  kp_boot=unknown
  read -r kp_boot <"$file"
}

# One line per run that was ever started, only appended to: FENCE INSTALLATION RUN PHASE BOOT SECONDS PROFILE and a final
# dot. A line that a power cut has torn is not mistaken for a whole one, and the next one begins on a line of its own. A run
# by hand names no installation (-) and changes nothing about whose the host is; an adoption is a line of the phase adopt,
# and fences count from the last one on.
read_started() { # sets kp_lines, kp_highest, kp_adopted, kp_owner, and kp_started_boot for the run kp_id
  local line lines pattern='^([0-9]{1,15}) ([^ ]+) ([^ ]+) ([^ ]+) ([^ ]+) ([0-9]+) ([^ ]+) \.$'
  kp_lines=() kp_highest=0 kp_adopted=0 kp_owner='' kp_started_boot=''
  [[ -f $kp_state/started ]] || return 0
  mapfile -t lines <"$kp_state/started"
  for line in "${lines[@]}"; do
    [[ $line =~ $pattern ]] || continue
    kp_lines+=("$line")
    [[ ${BASH_REMATCH[4]} != adopt ]] || kp_highest=0 kp_adopted=${BASH_REMATCH[1]}
    ((BASH_REMATCH[1] > kp_highest)) && kp_highest=${BASH_REMATCH[1]}
    [[ ${BASH_REMATCH[2]} == - ]] || kp_owner=${BASH_REMATCH[2]}
    [[ ${BASH_REMATCH[3]} == "$kp_id" ]] && kp_started_boot=${BASH_REMATCH[5]}
  done
  return 0
}

read_current() { # sets kp_current and kp_keeper: the run started last since the boot, and the process that keeps it
  kp_current='' kp_keeper=''
  [[ -r $kp_volatile/current ]] && read -r kp_current kp_keeper <"$kp_volatile/current"
  return 0
}

has_outcome() { # has_outcome RUN
  local last
  [[ -s $kp_state/runs/$1.outcome ]] && { read -r _; read -r last; } <"$kp_state/runs/$1.outcome" && [[ $last == end ]]
}
