# What a script prints: read by whole lines, redacted before it is kept anywhere, followed live up to half a megabyte for
# each stream. Of more than that only the end is kept, so that neither memory nor time grow with it.
kp_line_limit=65536
kp_live_limit=524288
kp_block=1048576

# One file holds both streams, in the order of time. Each line begins with its stream's letter; a capital says that the next
# line of that stream goes on where it ends, because only what is short is written at once and not between others' bytes.
relay() { # relay TAG: copies stdin to the output
  local tag=$1 line size=0
  exec 4>&- 5>&- 6>&1 >>"$kp_volatile/$kp_id.output"
  printf 'relay %s\n' "$BASHPID" >&6
  while IFS= read -r -n "$kp_line_limit" line || [[ -n $line ]]; do
    if ((${#line} == kp_line_limit || (size += ${#line} + 1) > kp_live_limit)); then
      keep_end
      break
    fi
    redact
    emit
  done
  printf 'closed\n' >&6
}

emit() {
  while ((${#line} > 4000)); do
    printf '%s%s\n' "${tag^}" "${line:0:4000}"
    line=${line:4000}
  done
  printf '%s%s\n' "$tag" "$line"
}

# Fills two files in turn, so that the one before the last and the last hold the end of the output at any time.
keep_end() {
  local base=$kp_volatile/$kp_id.$tag round=0
  printf '%s[more output than is followed live: its end is kept]\n' "$tag"
  while [[ -e $kp_volatile/$kp_id.run ]] && head -c "$kp_block" >"$base.$((round % 2))" && [[ -s $base.$((round % 2)) ]]; do
    printf '%s\n' "$round" >"$base.n"
    ((round++))
  done
  [[ -e $kp_volatile/$kp_id.run ]] || exec tail -c 0 # only a daemon still prints: let it
}

redact() { # redact the line in place; patterns are literal bytes
  local secret
  may_hold_secret || return 0
  for secret in "${kp_secrets[@]}"; do
    [[ $line != *"$secret"* ]] || line=${line//"$secret"/[REDACTED]}
  done
  for secret in "${kp_words[@]}"; do
    [[ $line != *"$secret"* ]] || redact_word
  done
}

redact_word() { # a value so short that it is only taken for a secret where it stands alone
  local left='' rest=$line before after
  while [[ $rest == *"$secret"* ]]; do
    before=${rest%%"$secret"*} after=${rest#*"$secret"}
    if [[ ($left$before == '' || $left$before == *[![:alnum:]_]) && ($after == '' || $after == [![:alnum:]_]*) ]]; then
      left+=$before'[REDACTED]'
    else
      left+=$before$secret
    fi
    rest=$after
  done
  line=$left$rest
}

keep_output() {
  local tag
  for tag in o e; do
    [[ ! -s $kp_volatile/$kp_id.$tag.n ]] || append_end
  done >>"$kp_volatile/$kp_id.output"
  [[ ! -s $kp_volatile/$kp_id.output ]] || keep_tails
}

append_end() {
  local base=$kp_volatile/$kp_id.$tag round line lines files left
  read -r round <"$base.n"
  files=("$base.$((round % 2))")
  left=$((round * kp_block + $(wc -c <"${files[0]}")))
  ((round == 0)) || files=("$base.$(((round - 1) % 2))" "${files[@]}")
  mapfile -t lines < <(cat "${files[@]}" | tail -c "$((2 * kp_line_limit))")
  lines=("${lines[@]:1}") # the first one is cut
  for line in "${lines[@]}"; do ((left -= ${#line} + 1)); done
  printf '%s[%s bytes left out]\n' "$tag" "$((left > 0 ? left : 0))"
  for line in "${lines[@]}"; do
    ((${#line} < kp_line_limit)) || line='[a line over the limit]'
    redact
    emit
  done
}

# The last whole lines of each stream that fit into the limit, in files of their own.
keep_tails() {
  local lines tag index
  mapfile -t lines <"$kp_volatile/$kp_id.output"
  for tag in o e; do
    find_tail
    for ((; index < ${#lines[@]}; index++)); do
      case ${lines[index]:0:1} in
        "$tag") printf '%s\n' "${lines[index]:1}" ;;
        "${tag^}") printf '%s' "${lines[index]:1}" ;;
      esac
    done >"$kp_state/runs/$kp_id.$tag"
  done
}

find_tail() { # sets index to the first line of the tail
  local at size=0 whole=${#lines[@]}
  index=$whole
  for ((at = whole - 1; at >= 0; at--)); do
    [[ ${lines[at]:0:1} == ["$tag${tag^}"] ]] || continue
    [[ ${lines[at]:0:1} != "$tag" ]] || whole=$index # what follows this one begins a line
    (((size += ${#lines[at]}) <= kp_line_limit)) || break
    index=$at
  done
  ((at < 0)) || index=$whole
}
