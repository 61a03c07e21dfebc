# Version 2: the run protocol of lib/execution/host-program. The envelope brings no code, only a signed script, its manifest and
# what the script is told. What is not signed can say no more than which run, in which order, for how long.
answer_v2() {
  read_headers
  case ${kp_header[action]-} in
    start | attach | probe) "read_${kp_header[action]}" ;;
    '') malformed 'no action' ;;
    *) quit 5 'unknown action' ;;
  esac
}

read_headers() { # sets kp_header by name; every line counts, and the last one says that the envelope is whole
  local line name last=$((${#kp_lines[@]} - 1))
  local known=' kpssh-envelope action marker run phase fence installation timeout-ms wait-ms offset agent-units manifest-b64 manifest-sig-b64 script-b64 params-b64 '
  declare -gA kp_header=()
  ((last >= 0)) || malformed "it is empty"
  [[ ${kp_lines[last]} == end: ]] || malformed 'it is cut short, its last line must be "end:"'
  for line in "${kp_lines[@]:0:last}"; do
    [[ $line == *': '* && $line != *[!\ -~]* ]] || malformed 'a line is not "name: value" in printable ASCII'
    name=${line%%: *}
    [[ $name != *' '* && $known == *" $name "* ]] || malformed 'a line has an unknown name'
    [[ -z ${kp_header[$name]+set} ]] || malformed "$name is given twice"
    [[ $name == *-b64 ]] || ((${#line} <= 2048)) || malformed "$name is too long"
    kp_header[$name]=${line#"$name: "}
  done
  header marker 'kpssh-[0-9a-f]{32}' && kp_marker=$kp_value
}

header() { # header NAME PATTERN: sets kp_value
  kp_value=${kp_header[$1]-}
  [[ $kp_value =~ ^($2)$ ]] || malformed "$1 is missing or not well-formed"
}

only() { # only NAME...: no header but these
  local name
  for name in "${!kp_header[@]}"; do
    [[ " kpssh-envelope action marker $* " == *" $name "* ]] || malformed "$name does not belong to ${kp_header[action]}"
  done
}

kp_id_pattern='[A-Za-z0-9][A-Za-z0-9._-]{0,127}'
kp_number='0|[1-9][0-9]{0,14}'

header_number() { # header_number NAME LEAST MOST: sets kp_value
  header "$1" "$kp_number"
  (($2 <= kp_value && kp_value <= $3)) || malformed "$1 must be between $2 and $3"
}

begin() { # from here on, answers are those of every other host
  eval "$kp_supervisor" # its functions are needed here as well
  read_boot_id
  say begin "$kp_boot"
}

read_attach() {
  only run wait-ms offset
  header run "$kp_id_pattern" && kp_id=$kp_value
  header_number wait-ms 0 3600000 && kp_wait_ms=$kp_value
  header_number offset 0 999999999999999 && kp_offset=$kp_value
  begin
  attach
}

read_probe() {
  local unit
  only agent-units
  kp_id=none kp_units=()
  if [[ -n ${kp_header[agent-units]-} ]]; then
    header agent-units '[A-Za-z0-9@._:-]+( [A-Za-z0-9@._:-]+){0,31}'
    read -r -a kp_units < <(printf '%s\n' "$kp_value")
  fi
  begin
  probe
}

read_start() {
  only run phase fence installation timeout-ms wait-ms manifest-b64 manifest-sig-b64 script-b64 params-b64
  kp_phase=${kp_header[phase]-}
  case $kp_phase in
    install | join | leave | uninstall) ;;
    '') malformed 'no phase' ;;
    *) quit 5 'unknown phase' ;;
  esac
  header run "$kp_id_pattern" && kp_id=$kp_value
  header_number fence 1 999999999999999 && kp_fence=$kp_value
  header installation "$kp_id_pattern|-" && kp_installation=$kp_value
  header_number timeout-ms 1 86400000 && kp_timeout_ms=$kp_value
  header_number wait-ms 0 3600000 && kp_wait_ms=$kp_value
  kp_offset=0 kp_grace_ms=10000 kp_script_offset=0
  start_signed
}

decode_header() { # decode_header NAME: sets kp_decoded to what is not nothing
  header_is_base64 "$1"
  [[ -n $kp_decoded ]] || malformed "$1 is missing"
}

header_is_base64() { decode "${kp_header[$1]-}" || malformed "$1 is not the base64 of a text"; }

start_signed() {
  local manifest
  decode_header manifest-b64
  manifest=$kp_decoded
  decode_header script-b64
  kp_script=$kp_decoded
  { mkdir -p "$kp_volatile"; } 2>/dev/null
  make_private "$kp_volatile" "${TMPDIR:-/tmp}"
  decode_header manifest-sig-b64
  printf '%s' "$kp_decoded" >"$kp_private/sig" || quit 1 'no temporary file can be written'
  header_is_base64 params-b64
  verify_signature kpssh-manifest "$kp_private/sig" < <(printf '%s' "$manifest")
  forget_private
  parse_manifest "$manifest"
  check_manifest "$kp_phase" "$kp_script"
  read_parameters "$kp_decoded"
  kp_profile=$kp_manifest_profile@$kp_manifest_version
  kp_redact=$(write_redaction)$'\n'
  begin
  check_prerequisites
  wait_for_turn
  if [[ $kp_phase != leave ]]; then
    check_serial # once more: another run may have raised it before the lock was ours
    keep_serial
  fi
  { write_parameters >"$kp_volatile/$kp_id.parameters"; } 2>/dev/null || unable StateNotWritable "$kp_volatile"
  kp_supervisor+=$'supervise\n'
  carry_on
}
