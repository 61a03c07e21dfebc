# Root's own commands, and the one thing that everybody else can do.
main() {
  case ${1-} in
    '') answer_envelope ;;
    version) printf 'kpssh-shim 2\n' ;;
    adopt) shift && adopt_by_hand "$@" ;;
    *) quit 1 'usage: kpssh-shim [version | adopt INSTALLATION FENCE]' ;;
  esac
}

adopt_by_hand() { # adopt_by_hand INSTALLATION FENCE: an operator vouches that the host is that installation's now
  [[ $# == 2 && $1 =~ ^($kp_id_pattern)$ && $2 =~ ^[1-9][0-9]{0,14}$ ]] || quit 1 'usage: kpssh-shim adopt INSTALLATION FENCE'
  # shellcheck disable=SC2317 # adopt calls these
  say() { [[ $1 == end ]] || printf 'kpssh-shim: %s\n' "$*"; }
  # shellcheck disable=SC2317
  unable() { quit 1 "unable: $*"; }
  # shellcheck disable=SC2317
  refuse() { quit 1 "refused: $*"; }
  kp_installation=$1 kp_fence=$2
  read -r kp_id </proc/sys/kernel/random/uuid
  read_boot_id
  adopt
}

main "$@"
exit
