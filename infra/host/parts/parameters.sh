# What a script is told. The manifest lists every name that may be set and what its value may look like.
read_parameters() { # read_parameters TEXT: NAME=value lines; sets kp_parameters by name, ends with 3 for what is not allowed
  local line name value lines
  declare -gA kp_parameters=()
  mapfile -t lines < <(printf '%s' "$1")
  for line in "${lines[@]}"; do
    [[ $line =~ ^(KPSSH_[A-Za-z0-9_]{1,260})= ]] || quit 3 'parameter: a line is not KPSSH_NAME=value'
    name=${BASH_REMATCH[1]} value=${line#*=}
    [[ -z ${kp_parameters[$name]+set} ]] || quit 3 "parameter: $name is given twice"
    [[ -n ${kp_patterns[$name]+set} ]] || quit 3 "parameter: $name is not in the manifest"
    ((${#line} < 131072)) || quit 3 "parameter: $name is longer than a command can be given"
    matches_whole "$value" "${kp_patterns[$name]}" || quit 3 "parameter: $name does not match its pattern in the manifest"
    kp_parameters[$name]=$value
  done
}

matches_whole() { [[ $1 =~ ^($2)$ ]]; }

write_parameters() { # for the script alone: in memory, and never in an argument
  local name quote="'\\''"
  for name in "${!kp_parameters[@]}"; do
    printf "export %s='%s'\n" "$name" "${kp_parameters[$name]//\'/"$quote"}"
  done
}
