# What must not be seen in what a script prints: the secrets among its parameters in every form in which a program may print
# them. The same forms as lib/profile/redaction-forms.ts and lib/execution/redaction-patterns.ts have: a test compares them.
write_redaction() { # shell text for the supervisor, which looks for these
  local name value at length form forms lengths hint quoted buckets=() anywhere=() words=() tests='' hints=$'\n'
  make_tables
  for name in "${!kp_parameters[@]}"; do
    value=${kp_parameters[$name]}
    case $name in
      KPSSH_SECRET_*) add_secret "$value" ;;
      KPSSH_BOOTSTRAP_TOKEN)
        add_secret "$value"
        if [[ $value == *.* ]]; then # its secret half
          value=${value#*.}
          add_secret "${value%%.*}"
        fi
        ;;
    esac
  done
  lengths=("${!buckets[@]}")
  for ((at = ${#lengths[@]} - 1; at >= 0; at--)); do # longest first
    length=${lengths[at]}
    mapfile -t forms < <(printf '%s' "${buckets[length]}")
    for form in "${forms[@]}"; do
      quote "$form"
      if ((length >= 8)); then anywhere+=("$quoted"); else words+=("$quoted"); fi
      hint=${form:0:8}
      [[ $hints != *$'\n'"$hint"$'\n'* ]] || continue
      hints+=$hint$'\n'
      quote "$hint"
      tests+="${tests:+ || }\$line == *$quoted*"
    done
  done
  printf 'kp_secrets=(%s)\nkp_words=(%s)\n' "${anywhere[*]}" "${words[*]}"
  printf 'may_hold_secret() { [[ %s ]]; }\n' "${tests:--n \"\"}"
}

quote() { # sets quoted
  local inner="'\\''"
  quoted="'${1//\'/"$inner"}'"
}

add_secret() {
  local bare=${1%"${1##*[!$'\r']}"}
  [[ $1 == *[!$' \t\v\f\r']* ]] || return 0
  add_forms "$1"
  [[ $bare == "$1" ]] || add_forms "$bare"
}

add_form() { # into the bucket of its length, counted in UTF-16 units as JavaScript does; each is there once
  local continued=${1//[!$'\x80'-$'\xbf']/} long=${1//[!$'\xf0'-$'\xf4']/} units
  units=$((${#1} - ${#continued} + ${#long}))
  [[ $'\n'${buckets[units]-} == *$'\n'"$1"$'\n'* ]] || buckets[units]+=$1$'\n'
}

add_forms() {
  local value=$1 bytes byte kind
  local -a ansi=() octal=() double=() slash=() plain=() word=() upper=() lower=() json=()
  add_form "$value"
  read -r -d '' -a bytes < <(printf '%s' "$value" | od -An -v -tu1)
  for byte in "${bytes[@]}"; do
    ansi+=("${kp_ansi[byte]}") octal+=("${kp_octal[byte]}") double+=("${kp_double[byte]}")
    slash+=("${kp_slash[byte]}") plain+=("${kp_plain[byte]}") word+=("${kp_word[byte]}")
    upper+=("${kp_upper[byte]}") lower+=("${kp_lower[byte]}") json+=("${kp_json[byte]}")
  done
  local quote="'\\''" joined
  add_form "${value//\'/"$quote"}"
  for kind in octal double slash word; do
    local -n pieces=$kind
    printf -v joined '%s' "${pieces[@]}"
    add_form "$joined"
  done
  printf -v joined '%s' "${ansi[@]}"
  add_ansi "$joined"
  printf -v joined '%s' "${plain[@]}"
  [[ $value != [#~]* ]] || joined=\\$joined
  add_form "$joined"
  printf -v joined '%s' "${json[@]}"
  add_json "$joined"
  printf -v joined '%s' "${upper[@]}"
  add_url "$joined" 7E 2F 28 29 2A
  printf -v joined '%s' "${lower[@]}"
  add_url "$joined" 7e 2f 28 29 2a
  add_base64 "$value"
}

make_tables() { # how a byte looks inside of each kind of quotes
  local code char octal hex
  kp_ansi=() kp_octal=() kp_double=() kp_slash=() kp_plain=() kp_word=() kp_upper=() kp_lower=() kp_json=()
  for ((code = 1; code < 256; code++)); do
    printf -v octal '%03o' "$code"
    printf -v hex '%02x' "$code"
    printf -v char '%b' "\\x$hex"
    kp_ansi[code]=$char kp_octal[code]=$char kp_double[code]=$char kp_slash[code]=$char
    kp_plain[code]=$char kp_word[code]=$char kp_upper[code]=$char kp_lower[code]=$char kp_json[code]=$char
    ((code >= 32 && code != 127)) || kp_ansi[code]=\\$octal
    ((code >= 32 && code < 127)) || kp_octal[code]=\\$octal
    ((code >= 32)) || kp_json[code]=\\u00$hex
    [[ $char != ['\"$`'] ]] || kp_double[code]=\\$char
    [[ $char != [$'\t\n !"$&\'()*,;<>?[\\]^`{|}'] ]] || kp_plain[code]=\\$char
    ((code >= 128)) || [[ $char == [A-Za-z0-9_@%+=:,./-] ]] || kp_word[code]=\\$char
    [[ $char == [A-Za-z0-9_.-] ]] || kp_upper[code]=%${hex^^} kp_lower[code]=%$hex
  done
  kp_slash[92]=\\\\ kp_json[92]=\\\\ kp_json[34]=\\\"
  kp_json[8]='\b' kp_json[9]='\t' kp_json[10]='\n' kp_json[12]='\f' kp_json[13]='\r'
  local -A named=([7]=a [8]=b [9]=t [10]=n [11]=v [12]=f [13]=r [27]=E [39]="'" [92]=\\)
  for code in "${!named[@]}"; do kp_ansi[code]=\\${named[$code]} kp_octal[code]=\\${named[$code]}; done
}

add_ansi() { # the control characters above ASCII are two bytes in UTF-8
  local text=$1 code char octal
  if [[ $text == *$'\xc2'[$'\x80'-$'\x9f']* ]]; then
    for ((code = 128; code < 160; code++)); do
      printf -v octal '\\%03o' "$code"
      printf -v char '\\xc2\\x%02x' "$code"
      printf -v char '%b' "$char"
      text=${text//"$char"/"$octal"}
    done
  fi
  add_form "$text"
}

add_json() { # as most programs write it, as Go does, and in nothing but ASCII; a slash may be escaped in each
  local form escape='\/' html=$1 ascii capitals
  html=${html//</'\u003c'}
  html=${html//>/'\u003e'}
  html=${html//&/'\u0026'}
  html=${html//$'\xe2\x80\xa8'/'\u2028'}
  html=${html//$'\xe2\x80\xa9'/'\u2029'}
  to_ascii "$1"
  to_capitals "$ascii"
  for form in "$1" "$html" "$ascii" "$capitals"; do
    add_form "$form"
    add_form "${form//\//"$escape"}"
  done
}

to_ascii() { # sets ascii: what is beyond ASCII as \uXXXX, in surrogates where it takes two
  local bytes byte code=0 left=0 piece pieces=()
  ascii=$1
  [[ $1 == *[$'\x80'-$'\xff']* ]] || return 0
  read -r -d '' -a bytes < <(printf '%s' "$1" | od -An -v -tu1)
  for byte in "${bytes[@]}"; do
    if ((byte < 128)); then
      printf -v piece '\\x%02x' "$byte"
      printf -v piece '%b' "$piece"
      pieces+=("$piece")
      continue
    fi
    if ((byte >= 240)); then code=$((byte & 7)) left=3
    elif ((byte >= 224)); then code=$((byte & 15)) left=2
    elif ((byte >= 192)); then code=$((byte & 31)) left=1
    else code=$((code << 6 | byte & 63)) left=$((left - 1))
    fi
    ((left == 0)) || continue
    if ((code >= 65536)); then
      printf -v piece '\\u%04x\\u%04x' "$((0xd800 + ((code - 65536) >> 10)))" "$((0xdc00 + ((code - 65536) & 1023)))"
    else
      printf -v piece '\\u%04x' "$code"
    fi
    pieces+=("$piece")
  done
  printf -v ascii '%s' "${pieces[@]}"
}

to_capitals() { # sets capitals: with the digits of every \uxxxx in capitals
  local rest=$1 before escape
  capitals=''
  while [[ $rest =~ \\u[0-9a-f]{4} ]]; do
    escape=${BASH_REMATCH[0]}
    before=${rest%%"$escape"*}
    rest=${rest:${#before}+6}
    escape=${escape:2}
    capitals+=$before\\u${escape^^}
  done
  capitals+=$rest
}

add_url() { # add_url ESCAPED TILDE SLASH OPEN CLOSE STAR: with the marks that some encoders leave as they are
  local all=$1 form tilde
  tilde=${all//%$2/'~'}
  local marks=${tilde//%21/!}
  marks=${marks//%27/\'}
  marks=${marks//%$4/(}
  marks=${marks//%$5/)}
  marks=${marks//%$6/'*'}
  for form in "$all" "$tilde" "${tilde//%$3//}" "$marks" "${all//%$6/'*'}"; do
    add_form "$form"
    add_form "${form//%20/+}"
  done
}

# The value's own base64, and what can be told of it inside the base64 of a longer text, where its first byte may stand at three
# places of a group.
add_base64() {
  local own shift encoded part width filler='??'
  base64_of "$1" && own=$encoded
  add_coded "$own"
  part=${own%=}
  add_coded "${part%=}"
  for shift in 0 1 2; do
    base64_of "${filler:0:shift}$1"
    part=${encoded:0:(shift + ${#1}) * 8 / 6}
    ((shift == 0)) || part=${part:shift + 1}
    ((${#part} < 8)) || add_coded "$part"
  done
  for width in 76 64; do
    ((${#own} > width)) || continue
    for ((shift = 0; shift < ${#own}; shift += width)); do
      part=${own:shift:width}
      ((${#part} < 8)) || add_coded "$part"
    done
  done
}

base64_of() { # sets encoded
  local lines
  mapfile -t lines < <(printf '%s' "$1" | base64)
  printf -v encoded '%s' "${lines[@]}"
}

add_coded() { # in both alphabets
  local other=${1//+/-}
  add_form "$1"
  add_form "${other//\//_}"
}
