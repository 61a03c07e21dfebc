# Reading an envelope: at most 1 MiB and so many lines, within two minutes, whoever sends it.
kp_most_bytes=1048576
kp_most_lines=1024

read_envelope() { # sets kp_lines
  local line bytes=0
  # A NUL byte, which no variable can hold, becomes one that no envelope may hold.
  mapfile -t -n "$((kp_most_lines + 1))" kp_lines \
    < <(timeout 120 head -c "$((kp_most_bytes + 1))" | tr '\000' '\001')
  ((${#kp_lines[@]} <= kp_most_lines)) || malformed "more than $kp_most_lines lines"
  for line in "${kp_lines[@]}"; do ((bytes += ${#line} + 1)); done
  ((bytes <= kp_most_bytes + 1)) || malformed "more than $kp_most_bytes bytes"
}

answer_envelope() {
  local line version=''
  read_envelope
  for line in "${kp_lines[@]}"; do
    [[ $line != 'kpssh-envelope: '* ]] || version=${line#kpssh-envelope: }
  done
  find_decoder
  case $version in
    1) answer_v1 ;;
    2) kp_version=2 && answer_v2 ;;
    *) malformed 'no version that this shim knows (1 and 2)' ;;
  esac
}
