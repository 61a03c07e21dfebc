#!/bin/sh
# kpssh-shim: the only thing that the login of a Verified host can reach. It reads one envelope on stdin and runs a script from
# it only if an offline key has signed it. Generated from infra/host/parts and lib/execution/host-program: edit those.
#
# Exit codes: 0 answered, 1 internal, 2 signature rejected, 3 bad parameter, 4 malformed envelope, 5 unknown phase or action,
# 6 the manifest forbids it, 10 the script of a version 1 envelope failed. What went wrong is said on stderr.
#
# Needs sh, bash, ssh-keygen, coreutils and, for runs that outlive their connection, util-linux. Root's own commands on the
# host: kpssh-shim version, kpssh-shim adopt INSTALLATION FENCE.
set -eu

if [ "${1-}" != --in-bash ]; then
  # sudoers allows this file without arguments only: what has arguments is root's own command.
  if [ $# -eq 0 ] && [ "${KPSSH_SHIM_SUDO:-1}" != 0 ] && [ "$(id -u)" != 0 ]; then
    exec sudo -n -- "$0"
  fi
  command -v bash >/dev/null || { echo 'kpssh-shim: bash: not found' >&2; exit 1; }
  # Privileged: bash takes no functions and no options from the environment.
  exec env -u BASH_ENV -u ENV -u BASHOPTS -u SHELLOPTS -u PS4 -u LD_PRELOAD -u LD_LIBRARY_PATH -u IFS -u GLOBIGNORE \
    bash -p -- "$0" --in-bash "$@"
fi
