# What a manifest says, and whether it allows this script, in this phase, now. It is text whose lines stand in one order only:
# nothing in it can be said twice or read in two ways.
manifest_refuses() { # manifest_refuses REASON MESSAGE
  quit 6 "manifest: $1: $2"
}

manifest_malformed() { manifest_refuses Malformed "$1"; }

field() { # field NAME PATTERN: sets kp_value to what the next line says
  local line=${kp_manifest_lines[kp_at]-}
  [[ $line == "$1: "* ]] || manifest_malformed "line $((kp_at + 1)) must be $1"
  kp_value=${line#"$1: "}
  [[ $kp_value =~ ^($2)$ ]] || manifest_malformed "$1"
  ((kp_at += 1))
}

parse_manifest() { # parse_manifest TEXT: sets kp_manifest_* and kp_patterns
  local time='[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}Z'
  kp_at=0
  ((${#1} <= 65536)) || manifest_malformed 'it is longer than 64 KiB'
  [[ $1 == *$'\n' && ${1//$'\n'/} != *[!\ -~]* ]] || manifest_malformed 'it must be lines of printable ASCII'
  mapfile -t kp_manifest_lines < <(printf '%s' "$1")
  field kpssh-manifest 1
  field profile '[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?' && kp_manifest_profile=$kp_value
  field version '[A-Za-z0-9][A-Za-z0-9._-]{0,62}' && kp_manifest_version=$kp_value
  field phase 'install|join|leave|uninstall' && kp_manifest_phase=$kp_value
  field script-sha256 '[0-9a-f]{64}' && kp_manifest_digest=$kp_value
  field serial '[1-9][0-9]{0,15}' && kp_manifest_serial=$kp_value
  ((kp_manifest_serial <= 9007199254740991)) || manifest_malformed serial
  field not-before "$time" && kp_not_before=$kp_value
  field not-after "$time" && kp_not_after=$kp_value
  parse_parameters
}

parse_parameters() { # the rest of the lines: sets kp_patterns by name
  local name before=''
  declare -gA kp_patterns=()
  while ((kp_at < ${#kp_manifest_lines[@]})); do
    field param 'KPSSH_[A-Za-z0-9_]{1,260} .+'
    name=${kp_value%% *}
    [[ -z $before || $before < $name ]] || manifest_malformed 'parameters must be sorted, and none listed twice'
    is_portable "${kp_value#* }" || manifest_malformed "the pattern of $name"
    kp_patterns[$name]=${kp_value#* }
    before=$name
  done
}

# Patterns that every reader of a manifest reads alike: characters, sets, groups, choices, repetitions of what is something.
# Anchors, back references and classes are none of them. A set holds plain characters and ranges, and a dash at an end only.
# In `last`: whether nothing at all matches what was read last, or "none" at the beginning of a choice.
is_portable() {
  local rest=$1 depth=0 last=none is_repeatable=0 token every=(1) some=(0)
  local character='[A-Za-z0-9 _~`!@#%&=:;"'\''<>,/-]'
  # Before other characters a backslash has a meaning of its own to some readers.
  local escaped='\\[].[(){}|*+?^$\]'
  local member='[^][\-]'
  local set="\\[\\^?-?($member(-$member)?)*-?]"
  [[ $1 != '.{0}' ]] || return 0 # how a manifest says that a value must be empty
  ((${#rest} <= 4096)) || return 1
  while [[ -n $rest ]]; do
    if [[ $rest =~ ^(\.|$character|$escaped|$set) ]]; then
      token=${BASH_REMATCH[0]}
      [[ $token != '[]' && $token != '[^]' && $token != '['*'--]' ]] || return 1
      add_to_sequence
      last=0 is_repeatable=1
    elif [[ $rest =~ ^([*+?]|\{[0-9]{1,3}(,([0-9]{1,3})?)?}) ]]; then
      token=${BASH_REMATCH[0]}
      ((is_repeatable)) && read_counts "$token" || return 1
      [[ $token == '?' || $last == 0 ]] || return 1 # some never come to an end with it
      ((kp_least > 0)) || last=1
      is_repeatable=0
    else
      token=${rest:0:1}
      [[ $token == ['(|)'] && ($token == '(' || $last != none) ]] || return 1
      add_to_sequence
      end_part "$token" || return 1
    fi
    rest=${rest:${#token}}
  done
  [[ $last != none ]] && ((depth == 0)) || return 1
  [[ '' =~ ^($1)$ ]]
  (($? < 2))
}

add_to_sequence() { [[ $last != 0 ]] || every[depth]=0; }

end_part() { # end_part TOKEN: where a choice begins or ends, or a group
  case $1 in
    '(') ((depth += 1)) && every[depth]=1 some[depth]=0 last=none ;;
    '|') ((every[depth] == 0)) || some[depth]=1
      every[depth]=1 last=none ;;
    ')') last=$((every[depth] | some[depth])) is_repeatable=1
      ((depth -= 1)) ;;
  esac
  [[ $1 == ')' ]] || is_repeatable=0
  ((depth >= 0 && depth <= 32))
}

read_counts() { # read_counts QUANTIFIER: sets kp_least; at most 255 times, not upside down, and not never
  local most
  kp_least=0
  [[ $1 != + ]] || kp_least=1
  [[ $1 =~ ^\{([0-9]+)(,([0-9]*))?}$ ]] || return 0
  kp_least=$((10#${BASH_REMATCH[1]}))
  most=$kp_least
  [[ -z ${BASH_REMATCH[2]} ]] || most=${BASH_REMATCH[3]:-255}
  most=$((10#$most))
  ((kp_least <= 255 && most <= 255 && kp_least <= most && most > 0))
}

# A leave needs the signature, the phase and the digest alone: a node that outlives its manifest must not stay for ever.
check_manifest() { # check_manifest PHASE SCRIPT
  local digest now
  [[ $kp_manifest_phase == "$1" ]] || manifest_refuses PhaseMismatch "it is for $kp_manifest_phase, not for $1"
  digest=$(printf '%s' "$2" | sha256sum) || quit 1 'sha256sum failed'
  [[ ${digest%% *} == "$kp_manifest_digest" ]] || manifest_refuses DigestMismatch 'it is for another script'
  [[ $1 != leave ]] || return 0
  now=$(TZ=UTC0 printf '%(%Y-%m-%dT%H:%M:%SZ)T' -1)
  [[ ! $now < $kp_not_before ]] || manifest_refuses NotYetValid "it begins at $kp_not_before, here it is $now"
  [[ ! $now > $kp_not_after ]] || manifest_refuses Expired "it ended at $kp_not_after, here it is $now"
  check_serial
}

check_serial() {
  read_serial
  ((kp_manifest_serial >= kp_serial)) ||
    manifest_refuses SerialTooLow "it has serial $kp_manifest_serial, this host has accepted $kp_serial of $kp_manifest_profile"
}

read_serial() { # sets kp_serial to the highest that was ever accepted of this profile
  local file=$kp_state/serials/$kp_manifest_profile
  kp_serial=0
  [[ -e $file ]] || return 0
  kp_serial=''
  read -r kp_serial <"$file"
  [[ $kp_serial =~ ^[1-9][0-9]{0,15}$ ]] || quit 1 "serial: $file is not readable, repair it as root"
}

keep_serial() { # never lowered; on disk before the run begins
  local folder=$kp_state/serials
  ((kp_manifest_serial > kp_serial)) || return 0
  {
    mkdir -p "$folder" && printf '%s\n' "$kp_manifest_serial" >"$folder/.new" && sync "$folder/.new" &&
      mv "$folder/.new" "$folder/$kp_manifest_profile" && sync "$folder"
  } 2>/dev/null || unable StateNotWritable "$folder"
}
