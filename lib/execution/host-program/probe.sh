# Looks at the host and changes nothing.

probe() {
  local tool machine cpu memory_kb running='' now states=''
  check_prerequisites
  for tool in nproc uname base64; do
    type -P "$tool" >/dev/null || unable MissingPrerequisite "$tool"
  done
  [[ -w ${KPSSH_ROOT:-}/run && -w ${KPSSH_ROOT:-}/var/lib ]] || unable StateNotWritable "$kp_state or $kp_volatile"
  cpu=$(nproc) machine=$(uname -m)
  read_memory
  if type -P systemctl >/dev/null; then
    states=$(timeout 10 systemctl is-active -- "${kp_units[@]}" 2>/dev/null)
  fi
  read_started
  read_running
  read_now
  say facts
  printf '%s\n' "cpu=$cpu" "memory_kb=$memory_kb" "machine=$machine" "now_ms=$now" "boot=$kp_boot" \
    "states=${states//$'\n'/ }" "installation=$kp_owner" "fence=$kp_highest" "running=$running"
  finish
}

read_memory() {
  local name value file=${KPSSH_ROOT:-}/proc/meminfo
  [[ -r $file ]] || file=/proc/meminfo
  while read -r name value _; do
    [[ $name == MemTotal: ]] && memory_kb=$value && break
  done <"$file"
}

read_now() {
  if [[ -n ${EPOCHREALTIME:-} ]]; then
    now=${EPOCHREALTIME/[.,]/}
    now=${now%???}
  else
    printf -v now '%(%s)T500' -1 # half a second is the best guess that whole seconds allow
  fi
}

read_running() {
  read_current
  [[ -n $kp_current ]] && ! has_outcome "$kp_current" || return 0
  { exec 9<"$kp_volatile/lock"; } 2>/dev/null || return 0
  flock -n -s 9 || running=$kp_current
}
