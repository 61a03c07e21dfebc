#!/bin/bash
# What package managers of both families have in common: which packages there are, of which version, and what comes onto the
# machine with one. Sourced after lib.bash. The data base is the text file `database`, one package a line:
#
#   NAME VERSION STATE HELD AUTO     STATE: unpacked | installed | config-files; HELD and AUTO: yes | no
#
# packages/NAME/files is copied to the machine, with @version@ replaced in what is below usr/bin. packages/NAME/control has
# version, depends, repository (kubernetes | docker) and conffiles; postinst, prerm and postrm are sourced.
# shellcheck disable=SC2034,SC2154 # of those who source this, and of lib.bash
read -r family <"$steering/family" 2>/dev/null || family=debian
declare -A version_of=() state_of=() held=() auto=()

read_database() {
  local name version state is_held is_auto
  version_of=() state_of=() held=() auto=()
  [[ -e $database ]] || return 0
  while read -r name version state is_held is_auto; do
    version_of[$name]=$version state_of[$name]=$state held[$name]=$is_held auto[$name]=$is_auto
  done <"$database"
}

write_database() {
  local name text=''
  mkdir -p "${database%/*}"
  sorted_names
  for name in "${sorted[@]}"; do
    text+="$name ${version_of[$name]} ${state_of[$name]} ${held[$name]:-no} ${auto[$name]:-no}"$'\n'
  done
  printf '%s' "$text" >"$database.new"
  mv "$database.new" "$database"
}

sorted_names() {
  mapfile -t sorted < <(printf '%s\n' "${!state_of[@]}" | LC_ALL=C sort)
  ((${#state_of[@]} > 0)) || sorted=()
}

is_installed() { # is_installed NAME
  [[ ${state_of[$1]:-} == installed ]]
}

# What is known of a package: sets version, depends, repository, conffiles. One that nobody foresaw is a recording program.
control_of() { # control_of NAME
  version=1.0-1 depends='' repository='' conffiles=''
  # shellcheck source=/dev/null
  [[ ! -e $sandbox/packages/$1/control ]] || . "$sandbox/packages/$1/control"
}

# The version that would be installed, in REPLY; empty where no repository has a fitting one.
candidate() { # candidate NAME PATTERN
  local version depends repository conffiles minor
  REPLY=''
  control_of "$1"
  case $repository in
    kubernetes)
      value kubernetes-patch 2
      for minor in "${kubernetes_minors[@]}"; do
        # shellcheck disable=SC2053 # the pattern is one
        [[ ${version//@kubernetes@/$minor.$REPLY} == $2 ]] || continue
        REPLY=${version//@kubernetes@/$minor.$REPLY}
        return
      done
      REPLY=''
      ;;
    docker) [[ -z $has_docker ]] || REPLY=$version ;;
    *)
      # shellcheck disable=SC2053 # the pattern is one
      [[ $version != $2 ]] || REPLY=$version
      ;;
  esac
}

unpack() { # unpack NAME VERSION
  local file name=$1
  if [[ -d $sandbox/packages/$name/files ]]; then
    copy_files "$name"
    for file in "$sandbox/packages/$name/files"/usr/bin/*; do
      [[ -e $file ]] || continue
      text_of "$file"
      printf '%s' "${REPLY//@version@/$2}" >"/usr/bin/${file##*/}"
    done
  elif ! type -P "$name" >/dev/null; then
    printf '#!/bin/bash -p\n# shellcheck source=/dev/null\n. /.sandbox/stubs/inert\n' >"/usr/bin/$name"
    chmod 755 "/usr/bin/$name"
  fi
  version_of[$name]=$2 state_of[$name]=unpacked
  held[$name]=${held[$name]:-no} auto[$name]=${auto[$name]:-no}
  write_database
}

# A configuration that was changed on the machine is kept.
copy_files() { # copy_files NAME
  local version depends repository conffiles file
  control_of "$1"
  for file in $conffiles; do
    [[ ! -e $file || ${state_of[$1]:-} == '' ]] || cp -a "$file" "$file.dpkg-kept"
  done
  cp -a "$sandbox/packages/$1/files/." /
  for file in $conffiles; do
    [[ ! -e $file.dpkg-kept ]] || mv "$file.dpkg-kept" "$file"
  done
}

configure() { # configure NAME
  state_of[$1]=installed
  write_database
  run_maintainer "$1" postinst configure
}

run_maintainer() { # run_maintainer NAME SCRIPT ARGUMENT
  # shellcheck source=/dev/null
  [[ ! -e $sandbox/packages/$1/$2 ]] || . "$sandbox/packages/$1/$2" "$3"
}

remove_package() { # remove_package NAME VERB: remove or purge
  local path paths conffiles='' version depends repository
  control_of "$1"
  run_maintainer "$1" prerm "$2"
  if [[ -d $sandbox/packages/$1/files ]]; then
    mapfile -d '' -t paths < <(cd "$sandbox/packages/$1/files" && find . -depth -mindepth 1 ! -type d -print0)
    for path in "${paths[@]}"; do
      path=${path#.}
      if [[ " $conffiles " == *" $path "* && $2 != purge ]]; then continue; fi
      rm -f "$path"
      rmdir -p --ignore-fail-on-non-empty "${path%/*}" 2>/dev/null || true
    done
  else
    text_of "/usr/bin/$1"
    [[ $REPLY != *'. /.sandbox/stubs/inert'* ]] || rm -f "/usr/bin/$1"
  fi
  if [[ $2 != purge && -n $conffiles ]]; then
    state_of[$1]=config-files
  else
    unset "state_of[$1]" "version_of[$1]" "held[$1]" "auto[$1]"
  fi
  write_database
  run_maintainer "$1" postrm "$2"
}

# Names in the order of installation, dependencies first, in the array plan; those that are there are left out.
plan_installation() { # plan_installation NAME
  local version depends repository conffiles name
  control_of "$1"
  [[ " ${plan[*]} " != *" $1 "* ]] || return 0
  for name in $depends; do
    is_installed "$name" || [[ " ${plan[*]} " == *" $name "* ]] || { auto[$name]=yes && plan_installation "$name"; }
  done
  plan+=("$1")
}

is_doomed() { # is_doomed NAME
  [[ " ${doomed[*]} " == *" $1 "* ]]
}

# What needs a package goes with it.
add_dependents() {
  local name other version depends repository conffiles
  for name in "${!state_of[@]}"; do
    control_of "$name"
    for other in $depends; do
      if is_doomed "$other" && is_installed "$name" && ! is_doomed "$name"; then doomed=("$name" "${doomed[@]}"); fi
    done
  done
}
