# What a Verified host needs, checked or written, as often as it is run. Before this come: login, authorized_keys,
# allowed_signers, revoked_keys, and shim_text, which prints the shim.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
umask 022
shim=/opt/kpssh/kpssh-shim
drop_in=/etc/ssh/sshd_config.d/00-kpssh.conf
sudoers=/etc/sudoers.d/kpssh

say() { printf '%s\n' "$*"; }

fail() {
  printf 'kpssh host prepare: %s\n' "$*" >&2
  exit 1
}

require_tools() {
  missing=''
  for tool in "$@"; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
  done
  [ -z "$missing" ] || fail "this host lacks$missing: install them, then run this again"
}

# Nobody but root may put something else in the place of what sshd, sudo and the shim rely on.
require_roots_own() {
  for path in "$@"; do
    [ -d "$path" ] || mkdir "$path"
    case $(stat -Lc '%u %A' "$path") in
      '0 d'????-??-?) ;;
      *) fail "$path must belong to root and be writable by nobody else: chown root $path; chmod go-w $path" ;;
    esac
  done
}

put() { # put PATH MODE: what is on stdin, beside PATH, until keep moves it there; nothing where PATH is like that already
  new=$1.kpssh-new
  cat >"$new"
  chown root:root "$new"
  chmod "$2" "$new"
  if cmp -s "$new" "$1" && [ "$(stat -c '%u:%g %a' "$1")" = "$(stat -c '%u:%g %a' "$new")" ]; then
    rm "$new"
  fi
}

is_new() { [ -e "$1.kpssh-new" ]; }

keep() { # keep PATH: what put has made
  if is_new "$1"; then
    mv "$1.kpssh-new" "$1"
    say "written    $1"
  else
    say "unchanged  $1"
  fi
}

sudo_allows() { LC_ALL=C sudo -l -U "$login" | sed -n 's/^ *\((.*\)/\1/p'; }

require_shim_alone() {
  more=$(sudo_allows | grep -vF "NOPASSWD: $shim" | tr '\n' ' ') || true
  [ -z "$more" ] || fail "sudo allows $login more than the shim: ${more}take that out of sudoers with visudo, or choose another \
login with --user"
}

prepare_login() {
  if id "$login" >/dev/null 2>&1; then
    [ "$(id -u "$login")" != 0 ] || fail "the login $login is root: choose another with --user"
    # Whoever is about to lose a login to the shim is told before anything is written.
    [ "$login" != "${SUDO_USER-}" ] || fail "you are logged in as $login, who could not log in any more: choose another with --user"
    require_shim_alone
    say "unchanged  user $login"
  else
    require_tools useradd
    useradd --system --user-group --no-create-home --home-dir /opt/kpssh --shell /bin/sh "$login"
    say "written    user $login"
  fi
  # No password opens it, and sshd does not take it for locked.
  case $(getent shadow "$login" | cut -d: -f2) in
    '*') ;;
    *) usermod --password '*' "$login" ;;
  esac
}

prepare_shim() {
  require_roots_own /opt /opt/kpssh /etc/kpssh
  shim_text | put "$shim" 755
  keep "$shim"
  printf '%s\n' "$allowed_signers" | put /etc/kpssh/allowed_signers 644
  keep /etc/kpssh/allowed_signers
  [ -z "$revoked_keys" ] || revoke
  printf '%s\n' "$authorized_keys" | put /etc/kpssh/authorized_keys 644
  keep /etc/kpssh/authorized_keys
}

revoke() { # what was revoked once stays revoked, whatever is revoked next and whatever is left out
  list=/etc/kpssh/revoked_keys
  if [ -e "$list" ]; then
    [ "$(head -c 6 "$list")" != SSHKRL ] || fail "$list is in the format of ssh-keygen -k: add the keys with ssh-keygen -k -u"
    revoked_keys=$(printf '%s\n' "$revoked_keys" | cat "$list" - | sort -u)
  fi
  printf '%s\n' "$revoked_keys" | put "$list" 644
  keep "$list"
}

prepare_sudo() {
  require_roots_own /etc/sudoers.d
  put "$sudoers" 440 <<END_OF_SUDOERS
Defaults:$login env_reset, !setenv, !requiretty, secure_path="$PATH"
$login ALL=(root) NOPASSWD: $shim ""
END_OF_SUDOERS
  if is_new "$sudoers" && ! visudo -cqf "$sudoers.kpssh-new"; then
    rm "$sudoers.kpssh-new"
    fail 'visudo does not accept what sudo needs: nothing was changed there'
  fi
  keep "$sudoers"
  case $(sudo_allows) in
    *"NOPASSWD: $shim"*) ;;
    *) fail "sudo does not read $sudoers: add \"@includedir /etc/sudoers.d\" to /etc/sudoers with visudo" ;;
  esac
  require_shim_alone
}

prepare_sshd() {
  require_roots_own /etc/ssh /etc/ssh/sshd_config.d
  mkdir -p /run/sshd
  put "$drop_in" 644 <<END_OF_DROP_IN
# The login of kpssh gets the shim, whatever it asks for. Written by kpssh host prepare.
Match User $login
  AuthorizedKeysFile /etc/kpssh/authorized_keys
  AuthorizedKeysCommand none
  TrustedUserCAKeys none
  AuthenticationMethods publickey
  ForceCommand $shim
  PermitTTY no
  DisableForwarding yes
  AllowTcpForwarding no
  AllowStreamLocalForwarding no
  AllowAgentForwarding no
  X11Forwarding no
  PermitTunnel no
  PermitUserRC no
  AcceptEnv none
Match all
END_OF_DROP_IN
  if is_new "$drop_in"; then replace_drop_in; else keep "$drop_in"; fi
  require_effect
  reload_sshd
}

replace_drop_in() { # what sshd does not accept does not stay
  rm -f "$drop_in.kpssh-old"
  [ ! -e "$drop_in" ] || mv "$drop_in" "$drop_in.kpssh-old"
  mv "$drop_in.kpssh-new" "$drop_in"
  if ! sshd -t; then
    rm "$drop_in"
    [ ! -e "$drop_in.kpssh-old" ] || mv "$drop_in.kpssh-old" "$drop_in"
    fail 'sshd does not accept its new configuration: the old one is back, and nothing was reloaded'
  fi
  rm -f "$drop_in.kpssh-old"
  say "written    $drop_in"
}

require_effect() { # another file may have said something else before, or sshd may not read this one
  effect=$(sshd -T -C "user=$login,host=localhost,addr=127.0.0.1")
  for wanted in "forcecommand $shim" 'authorizedkeysfile /etc/kpssh/authorized_keys' 'authorizedkeyscommand none' \
    'trustedusercakeys none' 'authenticationmethods publickey' 'permittty no' 'allowtcpforwarding no' \
    'allowstreamlocalforwarding no' 'allowagentforwarding no' 'x11forwarding no' 'permituserrc no' \
    'permituserenvironment no' 'acceptenv none'; do
    printf '%s\n' "$effect" | grep -qxF "$wanted" || fail "sshd has not \"$wanted\" for $login: see that \
/etc/ssh/sshd_config begins with \"Include /etc/ssh/sshd_config.d/*.conf\" and says nothing else of it"
  done
}

reload_sshd() {
  if [ -d /run/systemd/system ]; then
    systemctl reload ssh 2>/dev/null || systemctl reload sshd 2>/dev/null || systemctl try-restart ssh.socket 2>/dev/null ||
      fail 'sshd was not reloaded: reload it by hand'
  elif [ -r /run/sshd.pid ]; then
    kill -HUP "$(cat /run/sshd.pid)"
  else
    say 'sshd was not found running: it reads its configuration when it starts'
  fi
}

prove() { # as the login itself, as far as that goes without SSH
  answer=$(printf 'kpssh-envelope: 1\nphase: probe\n' | setpriv --reuid "$login" --regid "$(id -g "$login")" --clear-groups \
    --reset-env -- "$shim") || fail "$shim does not answer: see what it said above"
  say "answers    $shim ($(printf '%s\n' "$answer" | head -n 1) CPUs)"
}

# A key that was somebody's before opens more than the shim, and nothing that is tried with this login shows it.
find_other_doors() {
  key=${authorized_keys% *}
  key=${key##* }
  getent passwd | cut -d: -f6 | sort -u | while read -r home; do
    for file in "$home/.ssh/authorized_keys" "$home/.ssh/authorized_keys2"; do
      if grep -qsF "$key" "$file"; then say "beware     $file lets the login key in as well: take it out there"; fi
    done
  done
}

prepare() {
  [ "$(id -u)" = 0 ] || fail 'this must be run as root'
  require_tools bash sshd ssh-keygen sudo visudo base64 sha256sum cmp stat getent usermod flock setsid setpriv timeout od tr sort
  prepare_login
  prepare_shim
  prepare_sudo
  prepare_sshd
  prove
  find_other_doors
  say "prepared   log in as $login; prove it from outside with: kpssh host check"
}

# Only now, so that half of this file does nothing, and nothing reads it from stdin as its input.
prepare </dev/null
