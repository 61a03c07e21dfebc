#!/usr/bin/env bash
# Makes a board ready to be a host: a user with a key and sudo without password, the memory cgroup, a Wi-Fi that stays awake,
# no swap. Run it as root on the board, as often as you like; each file that it changes is kept beside it as .kpssh.bak.
#
#   sudo env KPSSH_PUBKEY="$(cat rack.pub)" bash prep-host.sh
#
# KPSSH_PUBKEY  the public key that kpssh logs in with (required)
# KPSSH_USER    the user that it logs in as; kpssh
# KPSSH_REBOOT  1 to reboot at the end if the board must; 0
set -euo pipefail
export LC_ALL=C
PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin
umask 022

user=${KPSSH_USER:-kpssh}
must_reboot=no

main() {
  check
  make_user
  allow_key
  allow_sudo
  enable_memory_cgroup
  keep_wifi_awake
  end_swap
  describe_host
  if [[ $must_reboot == yes ]]; then reboot_or_say; fi
}

fail() { # fail REASON WORDS
  printf '%s: %s\n' "$1" "$2" >&2
  exit 1
}

check() {
  local tool
  ((EUID == 0)) || fail NotRoot "run this with sudo"
  [[ ${KPSSH_PUBKEY:-} =~ ^(ssh|ecdsa|sk)-[a-z0-9@.-]+\ [A-Za-z0-9+/=]+(\ [^[:cntrl:]]*)?$ ]] ||
    fail PubkeyInvalid "KPSSH_PUBKEY must be one line of a public key, as in a .pub file"
  [[ $user =~ ^[a-z_][a-z0-9_-]{0,31}$ ]] || fail UserInvalid "KPSSH_USER is \"$user\", it must be the name of a user"
  for tool in sudo visudo useradd getent; do
    type -P "$tool" >/dev/null || fail ToolMissing "$tool is not on this board"
  done
}

make_user() {
  getent passwd "$user" >/dev/null || useradd --create-home --shell /bin/bash "$user"
}

allow_key() {
  local group home keys
  IFS=: read -r _ _ _ group _ home _ < <(getent passwd "$user")
  keys=$home/.ssh/authorized_keys
  install -d -m 700 -o "$user" -g "$group" "$home/.ssh"
  grep -qsxF "$KPSSH_PUBKEY" "$keys" && return
  { [[ ! -f $keys ]] || grep '' "$keys" || true; echo "$KPSSH_PUBKEY"; } >"$keys.kpssh-new" # grep ends a last line that has no end
  chown "$user:$group" "$keys.kpssh-new"
  chmod 600 "$keys.kpssh-new"
  mv "$keys.kpssh-new" "$keys"
}

allow_sudo() {
  local file=/etc/sudoers.d/kpssh
  (umask 337 && rm -f "$file.kpssh-new" && echo "$user ALL=(ALL) NOPASSWD: ALL" >"$file.kpssh-new") # sudo does not read a name with a dot
  visudo -qcf "$file.kpssh-new" || fail SudoersInvalid "$file.kpssh-new is not valid"
  mv "$file.kpssh-new" "$file"
}

# replace FILE: stdin becomes the file, in one step; what it was at first is kept
replace() {
  [[ -e $1.kpssh.bak ]] || cp -p "$1" "$1.kpssh.bak"
  cat >"$1.kpssh-new"
  mv "$1.kpssh-new" "$1"
}

memory_cgroup_is_on() {
  local controllers
  if [[ -r /sys/fs/cgroup/cgroup.controllers ]]; then
    controllers=$(</sys/fs/cgroup/cgroup.controllers)
  else
    controllers=$(awk '$4 == 1 { print $1 }' /proc/cgroups)
  fi
  [[ " ${controllers//$'\n'/ } " == *' memory '* ]]
}

# The firmware of a Pi puts cgroup_disable=memory before what the file says; the kernel heeds the last word on it.
enable_memory_cgroup() {
  local file want='cgroup_enable=memory cgroup_memory=1'
  memory_cgroup_is_on && return
  must_reboot=yes
  for file in /boot/armbianEnv.txt /boot/firmware/cmdline.txt /boot/cmdline.txt; do
    [[ -f $file ]] || continue
    if [[ $file == */armbianEnv.txt ]]; then enable_in_environment "$file"; else enable_in_command_line "$file"; fi
    return
  done
  echo "The kernel has no memory cgroup, and this system boots in a way unknown here: boot the kernel with \"$want\""
  must_reboot=no
}

enable_in_environment() { # Armbian: a line of settings
  local line want='cgroup_enable=memory cgroup_memory=1'
  line=$(grep '^extraargs=' "$1") || true
  [[ " ${line#*=} " != *" $want "* ]] || return 0
  line="extraargs=$want${line:+ ${line#*=}}"
  { grep -v '^extraargs=' "$1" || true; echo "$line"; } | replace "$1"
}

enable_in_command_line() { # one line; of a second one nothing is read, so what stands there is brought home
  local line word words want='cgroup_enable=memory cgroup_memory=1'
  line=$(tr -s '\r\n' '  ' <"$1")
  read -r -a words <<<"$line"
  line=''
  for word in "${words[@]}"; do
    case $word in
      cgroup_enable=memory | cgroup_memory=* | cgroup_disable=memory) ;;
      *) line+="$word " ;;
    esac
  done
  [[ $(<"$1") == "$line$want" ]] || replace "$1" <<<"$line$want"
}

# A card that sleeps drops the node every now and then.
keep_wifi_awake() {
  local device
  if [[ -d /etc/NetworkManager ]]; then
    mkdir -p /etc/NetworkManager/conf.d
    printf '%s\n' '[connection]' 'wifi.powersave = 2' >/etc/NetworkManager/conf.d/90-kpssh-wifi.conf # 2: disabled
  elif type -P iw >/dev/null; then
    echo "ACTION==\"add\", SUBSYSTEM==\"net\", KERNEL==\"wl*\", RUN+=\"$(type -P iw) dev \$name set power_save off\"" \
      >/etc/udev/rules.d/90-kpssh-wifi.rules
  fi
  type -P iw >/dev/null || return 0
  for device in /sys/class/net/wl*; do
    [[ ! -e $device ]] || iw dev "${device##*/}" set power_save off || true
  done
}

# Every system of boards has a way of its own to make swap at each boot.
end_swap() {
  local unit file
  for unit in dphys-swapfile zramswap; do
    ! systemctl cat "$unit" >/dev/null 2>&1 || systemctl disable --now "$unit" || true
  done
  if [[ -d /etc/rpi || -e /usr/lib/systemd/system-generators/rpi-swap-generator ]]; then
    mkdir -p /etc/rpi/swap.conf.d
    printf '%s\n' '[Main]' 'Mechanism=none' >/etc/rpi/swap.conf.d/90-kpssh.conf
  fi
  file=/etc/default/armbian-zram-config
  if [[ -f $file ]] && ! grep -q '^SWAP=false' "$file"; then
    { grep -v '^SWAP=' "$file" || true; echo SWAP=false; } | replace "$file"
  fi
  for file in /usr/lib/systemd/zram-generator.conf /etc/systemd/zram-generator.conf; do
    [[ ! -s $file ]] || empty_zram_generator
  done
  if grep -qE '^[^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap[[:space:]]' /etc/fstab 2>/dev/null; then
    sed -E 's/^([^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap[[:space:]])/#\1/' /etc/fstab | replace /etc/fstab
  fi
  swapoff -a || true
}

empty_zram_generator() { # a file in /etc stands before the one of the distribution
  local file=/etc/systemd/zram-generator.conf
  [[ -e $file ]] || : >"$file"
  [[ ! -s $file ]] || replace "$file" </dev/null
}

describe_host() {
  local address memory name value
  while read -r name value _; do [[ $name != MemTotal: ]] || memory=$((value * 9 / 10 / 1024)); done </proc/meminfo
  read -r address _ < <(hostname -I) || true
  cat <<HOST

This board as an object for kpssh (a tenth of the memory is kept for the system):

apiVersion: karpenter.dklesev.github.io/v1beta1
kind: SSHHost
metadata:
  name: $(hostname)
  namespace: kpssh-system
  labels: {karpenter.dklesev.github.io/host-class: $(uname -m)-$(nproc)}
spec:
  address: ${address:-fill-in}
  user: $user
  capacity: {cpu: "$(nproc)", memory: ${memory}Mi}
  sshKeySecretRef: {name: fill-in}

HOST
  ! type -P ssh-keygen >/dev/null || [[ ! -r /etc/ssh/ssh_host_ed25519_key.pub ]] ||
    echo "Its host key, for knownHost: $(ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub | cut -d' ' -f2)"
}

reboot_or_say() {
  if [[ ${KPSSH_REBOOT:-0} == 1 ]]; then
    echo 'Rebooting, for the memory cgroup'
    systemctl reboot
  else
    echo 'Reboot the board now: the memory cgroup comes with the next boot'
  fi
}

main
