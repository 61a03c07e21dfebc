# Version 1: the signature covers the script alone, and the run lasts as long as its connection. Of a repeated header the last
# one counts, and what is unknown is ignored.
answer_v1() {
  local line phase='' params='' signature='' script=''
  for line in "${kp_lines[@]}"; do
    case $line in
      'phase: '*) phase=${line#phase: } ;;
      'params-b64: '*) params=${line#params-b64: } ;;
      'sig-b64: '*) signature=${line#sig-b64: } ;;
      'script-b64: '*) script=${line#script-b64: } ;;
    esac
  done
  case $phase in
    '') malformed 'no phase' ;;
    probe) four_facts; exit 0 ;;
    install | join | leave | uninstall) ;;
    *) quit 5 'unknown phase' ;;
  esac
  [[ -n $signature ]] || malformed 'no signature'
  [[ -n $script ]] || malformed 'no script'
  make_private "${TMPDIR:-/tmp}"
  printf '%s' "$script" | "${kp_decode[@]}" >"$kp_private/script" 2>/dev/null || malformed 'the script is not base64'
  printf '%s' "$signature" | "${kp_decode[@]}" >"$kp_private/sig" 2>/dev/null || malformed 'the signature is not base64'
  verify_signature "$kp_namespace" "$kp_private/sig" <"$kp_private/script"
  run_v1 "$params"
}

four_facts() {
  local name value _
  nproc
  while read -r name value _; do
    [[ $name != MemTotal: ]] || printf '%s\n' "$value"
  done </proc/meminfo
  uname -m
  systemctl is-active kubelet 2>/dev/null || true
}

run_v1() {
  local line code=0
  kp_decoded=''
  [[ -z $1 ]] || decode "$1" || malformed 'the parameters are not base64 text'
  local -a exports=()
  while IFS= read -r line || [[ -n $line ]]; do
    [[ -n $line ]] || continue
    [[ $line =~ ^KPSSH_[A-Za-z0-9_]+= ]] || quit 3 'a parameter is not KPSSH_NAME=value'
    exports+=("$line")
  done < <(printf '%s' "$kp_decoded")
  (
    trap - EXIT HUP INT TERM
    unset BASH_ENV ENV PS4 LD_PRELOAD LD_LIBRARY_PATH IFS GLOBIGNORE
    if [[ -n $kp_locale ]]; then LC_ALL=${kp_locale#=}; else unset LC_ALL; fi
    script=$kp_private/script
    # shellcheck disable=SC2163 # each is NAME=value, and the name begins with KPSSH_
    for line in "${exports[@]}"; do export "$line"; done
    exec bash "$script" </dev/null
  ) || code=$?
  ((code == 0)) || quit 10 "script exited $code"
  exit 0
}
