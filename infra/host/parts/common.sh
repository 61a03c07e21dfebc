# What both versions of the envelope need. Nothing of an envelope is ever evaluated, and none of it names a variable here.
shift
set +eu
kp_locale=${LC_ALL+=$LC_ALL}
LC_ALL=C
kp_signers=${KPSSH_ALLOWED_SIGNERS:-${KPSSH_ROOT:-}/etc/kpssh/allowed_signers}
kp_revoked=${KPSSH_REVOKED_KEYS:-${KPSSH_ROOT:-}/etc/kpssh/revoked_keys}
kp_namespace=${KPSSH_NAMESPACE:-kpssh}
kp_principal=${KPSSH_PRINCIPAL:-kpssh}
kp_private='' kp_version=''

log() {
  printf 'kpssh-shim: %s\n' "$*" >&2
}

quit() { # quit CODE MESSAGE
  log "$2"
  exit "$1"
}

malformed() { quit 4 "envelope${kp_version:+ $kp_version}: $1"; } # tells a shim that knows the version from one that does not

make_private() { # make_private FOLDER...: a folder of this contact's own in the first of these that takes one
  local folder
  umask 077
  trap '[[ -z $kp_private ]] || rm -rf "$kp_private"' EXIT
  trap 'exit 1' HUP INT TERM
  for folder in "$@"; do
    kp_private=$(mktemp -d "$folder/kpssh.XXXXXX" 2>/dev/null) && return
  done
  quit 1 'no temporary folder can be made'
}

forget_private() {
  rm -rf "$kp_private"
  kp_private=''
  trap - EXIT HUP INT TERM
}

find_decoder() { # sets kp_decode
  decodes base64 -d || decodes base64 -D || decodes openssl base64 -d -A || quit 1 'no base64 decoder: install coreutils'
}

decodes() {
  kp_decode=("$@")
  [[ $(printf 'YQ==' | "$@" 2>/dev/null) == a ]]
}

decode() { # decode TEXT: sets kp_decoded; fails for what is not base64, or holds a NUL byte, which no variable can
  local padding=0
  [[ $1 != *[!A-Za-z0-9+/=]* && $((${#1} % 4)) == 0 ]] || return 1
  [[ $1 != *= ]] || padding=1
  [[ $1 != *== ]] || padding=2
  { kp_decoded=$(printf '%s' "$1" | "${kp_decode[@]}" && printf .); } 2>/dev/null || return 1
  kp_decoded=${kp_decoded%.}
  ((${#kp_decoded} == ${#1} * 3 / 4 - padding))
}

verify_signature() { # verify_signature NAMESPACE FILE: of what is on stdin; ends with 2 where a trusted key has not signed it
  local line lines options=()
  type -P ssh-keygen >/dev/null || quit 1 'ssh-keygen: not found'
  [[ ! -e $kp_revoked ]] || options=(-r "$kp_revoked")
  ssh-keygen -Y verify -f "$kp_signers" -I "$kp_principal" -n "$1" -s "$2" "${options[@]}" \
    >"$kp_private/said" 2>&1 && return
  mapfile -t -n 20 lines <"$kp_private/said"
  for line in "${lines[@]:-rejected}"; do log "verify: ${line//[^ -~]/?}"; done
  exit 2
}
