#!/usr/bin/env bash
# Makes the Debian tree that test hosts are booted from: make-tree.sh FOLDER. The folder appears as a whole or not at all;
# where it is there already nothing is done. The caller holds a lock. What this file says is what the tree's name is made
# of, so a change here makes another tree.
set -euo pipefail
shopt -s inherit_errexit

folder=$1
suite=bookworm # the newest Debian whose systemd still boots under control groups v1
packages=(
  systemd systemd-sysv systemd-container dbus       # nspawn is run from the tree: it fits the systemd that it boots
  openssh-server sudo                               # the way in
  procps iproute2 iptables kmod curl ca-certificates openssl # what phases call
  containerd runc containernetworking-plugins
)

main() {
  local new=$folder.new.$$
  [[ ! -d $folder ]] || return 0
  forget_others
  # shellcheck disable=SC2064  # the name is known now
  trap "rm -rf --one-file-system '$new'" EXIT
  unpack "$new" >&2
  slim "$new"
  prepare "$new"
  mv "$new" "$folder"
}

# Of an interrupted build, and trees of earlier versions that nobody has booted for a month.
forget_others() {
  local parent=${folder%/*}
  find "$parent" -mindepth 1 -maxdepth 1 \( -name '*.new.*' -o -name 'debian-*' -mtime +30 \) -type d \
    -exec rm -rf --one-file-system {} +
}

unpack() { # unpack TREE: a mirror may be away for a moment
  local attempt
  for attempt in 1 2 3; do
    echo "attempt $attempt of 3"
    if (IFS=, && debootstrap --variant=minbase --include="${packages[*]}" "$suite" "$1"); then return 0; fi
    rm -rf --one-file-system "$1"
  done
  return 1
}

slim() { # slim TREE
  rm -rf "$1"/var/cache/apt/archives/*.deb "$1"/var/lib/apt/lists/* "$1"/var/log/* "$1"/usr/share/{doc,man,locale}
}

prepare() { # prepare TREE
  local tree=$1
  # Timers, consoles and kernel settings are the real machine's own.
  chroot "$tree" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
    e2scrub_reap.service fstrim.timer systemd-sysctl.service systemd-pstore.service console-getty.service getty.target
  mkdir -p "$tree/etc/systemd/system.conf.d"
  printf '%s\n' '[Manager]' DefaultTimeoutStopSec=10s >"$tree/etc/systemd/system.conf.d/test.conf"
  chroot "$tree" useradd --create-home --shell /bin/bash ops
  echo 'ops ALL=(ALL) NOPASSWD: ALL' >"$tree/etc/sudoers.d/ops"
  chmod 440 "$tree/etc/sudoers.d/ops"
  echo '# no name servers here' >"$tree/etc/resolv.conf"
  rm -f "$tree"/etc/ssh/ssh_host_*
  : >"$tree/etc/machine-id"
}

main
