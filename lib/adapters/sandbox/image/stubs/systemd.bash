#!/bin/bash
# Units as systemd has them: files and drop-ins in its four directories, enablement as links, activity in volatile/.
# Sourced by systemctl, sleep and reboot, after lib.bash. Functions answer in REPLY.
# shellcheck disable=SC2154 # volatile is of lib.bash
unit_directories=(/etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /usr/lib/systemd/system)
etc_units=${unit_directories[0]}

full_name() { # full_name NAME
  case $1 in
    *.service | *.target | *.socket | *.timer | *.mount | *.path | *.slice | *.scope | *.swap) REPLY=$1 ;;
    *) REPLY=$1.service ;;
  esac
}

# The unit file, of an alias that of the unit itself; empty where there is none.
file_of() { # file_of UNIT
  local directory
  for directory in "${unit_directories[@]}"; do
    REPLY=$directory/$1
    [[ ! -L $REPLY ]] || resolve_link "$REPLY"
    [[ ! -e $REPLY ]] || return 0
  done
  REPLY=''
}

resolve_link() { # resolve_link FILE
  if [[ $1 -ef /dev/null ]]; then REPLY=$1; else REPLY=$(readlink -m "$1"); fi
}

canonical_name() { # canonical_name UNIT
  file_of "$1"
  if [[ -z $REPLY || $REPLY -ef /dev/null ]]; then REPLY=$1; else REPLY=${REPLY##*/}; fi
}

is_masked() { # is_masked UNIT
  file_of "$1"
  [[ -n $REPLY && $REPLY -ef /dev/null ]]
}

exists() { # exists UNIT
  file_of "$1"
  [[ -n $REPLY ]]
}

files_of() { # files_of UNIT: sets files, the unit file first, then drop-ins by their names
  local directory drop_in name
  local -A found=()
  files=()
  file_of "$1"
  [[ -z $REPLY ]] || files=("$REPLY")
  for directory in "${unit_directories[@]}"; do
    for drop_in in "$directory/${1##*.}.d"/*.conf "$directory/$1.d"/*.conf; do
      name=${drop_in##*/}
      [[ ! -e $drop_in || -n ${found[$name]:-} ]] || found[$name]=$drop_in
    done
  done
  sorted_keys found
  for name in "${sorted[@]}"; do files+=("${found[$name]}"); done
}

sorted_keys() { # sorted_keys ARRAY: sets sorted; few, so by insertion
  local -n array=$1
  local key at
  sorted=()
  for key in "${!array[@]}"; do
    for ((at = ${#sorted[@]}; at > 0; at--)); do
      [[ ${sorted[at - 1]} > $key ]] || break
      sorted[at]=${sorted[at - 1]}
    done
    sorted[at]=$key
  done
}

text_on_disk() { # text_on_disk UNIT: all its files, one after the other
  local file text='' files
  files_of "$1"
  for file in "${files[@]}"; do
    text_of "$file"
    text+=$REPLY$'\n'
  done
  REPLY=$text
}

# What systemd knows of a unit: as it was at the last daemon-reload, as long as somebody holds on to the unit.
loaded_text() { # loaded_text UNIT
  if [[ -e $volatile/loaded/$1 ]]; then text_of "$volatile/loaded/$1"; else text_on_disk "$1"; fi
}

keep_loaded() { # keep_loaded UNIT
  mkdir -p "$volatile/loaded"
  [[ -e $volatile/loaded/$1 ]] || { text_on_disk "$1" && printf '%s' "$REPLY" >"$volatile/loaded/$1"; }
}

forget_unless_held() { # forget_unless_held UNIT
  [[ -e $volatile/units/$1 ]] || is_wanted "$1" || rm -f "$volatile/loaded/$1"
}

is_outdated() { # is_outdated UNIT
  local known
  [[ -e $volatile/loaded/$1 ]] || return 1
  text_of "$volatile/loaded/$1"
  known=$REPLY
  text_on_disk "$1"
  [[ $known != "$REPLY" ]]
}

reload_all() {
  local file unit
  for file in "$volatile/loaded"/*; do
    [[ -e $file ]] || continue
    unit=${file##*/}
    text_on_disk "$unit"
    printf '%s' "$REPLY" >"$file"
  done
  for file in "$etc_units"/*.wants/*; do
    [[ ! -e $file ]] || keep_loaded "${file##*/}"
  done
}

settings_of() { # settings_of TEXT: sets the associative array setting, Section.Key to values, one a line
  local line section='' key whole=''
  while IFS= read -r line; do
    line=$whole${line#"${line%%[![:space:]]*}"}
    whole=''
    case $line in
      '#'* | ';'* | '') ;;
      *\\) whole="${line%\\} " ;;
      '['*) section=${line//[][]/} ;;
      *=*)
        key=$section.${line%%=*}
        key=${key%"${key##*[![:space:]]}"}
        line=${line#*=}
        line=${line#"${line%%[![:space:]]*}"}
        if [[ -z $line ]]; then setting[$key]=''; else setting[$key]="${setting[$key]:-}$line"$'\n'; fi
        ;;
    esac
  done <<<"$1"
}

last_of() { # last_of KEY DEFAULT
  REPLY=${setting[$1]:-}
  REPLY=${REPLY%$'\n'}
  REPLY=${REPLY##*$'\n'}
  [[ -n $REPLY ]] || REPLY=$2
}

activity_of() { # activity_of UNIT: active, activating, failed or inactive
  text_of "$volatile/units/$1"
  REPLY=${REPLY:-inactive}
  [[ $REPLY != active || ! -e $volatile/pids/$1 ]] || is_alive "$1" || REPLY=inactive
}

is_alive() { # is_alive UNIT: of a daemon that really runs
  local pid
  read -r pid <"$volatile/pids/$1"
  kill -0 "$pid" 2>/dev/null
}

is_wanted() { # is_wanted UNIT: whether a link enables it
  local link
  for link in "$etc_units"/*.wants/"$1" "$etc_units"/*.requires/"$1"; do
    [[ ! -L $link ]] || return 0
  done
  return 1
}

enablement_of() { # enablement_of UNIT
  local -A setting=()
  if ! exists "$1"; then
    REPLY=not-found
  elif is_masked "$1"; then
    REPLY=masked
  elif is_wanted "$1" || is_aliased "$1"; then
    REPLY=enabled
  else
    text_on_disk "$1"
    settings_of "$REPLY"
    REPLY=static
    [[ -z ${setting[Install.WantedBy]:-}${setting[Install.RequiredBy]:-}${setting[Install.Alias]:-}${setting[Install.Also]:-} ]] || REPLY=disabled
  fi
}

is_aliased() { # is_aliased UNIT: by a link of another name to its file
  local link file
  file_of "$1"
  file=$REPLY
  for link in "$etc_units"/*.service; do
    [[ ! -L $link || ${link##*/} == "$1" || ! $link -ef $file ]] || return 0
  done
  return 1
}

note() { # note UNIT WORDS: into its journal
  mkdir -p "$volatile/journal"
  printf '@%(%s)T\n%s\n' -1 "$2" >>"$volatile/journal/$1"
}

# Ends with 0 where the start succeeded, or where it only will turn out that it did not, as with Type=simple.
start_unit() { # start_unit UNIT
  local kind remain missing_file=''
  local -A setting=() variables=()
  mkdir -p "$volatile/units" "$volatile/journal"
  activity_of "$1"
  [[ $REPLY != active ]] || return 0
  loaded_text "$1"
  settings_of "$REPLY"
  start_required
  last_of Service.Type simple && kind=$REPLY
  last_of Service.RemainAfterExit no && remain=$REPLY
  printf activating >"$volatile/units/$1"
  read_variables "$1"
  note "$1" "Starting $1..."
  if [[ $1 != *.service ]]; then
    printf active >"$volatile/units/$1"
  elif [[ -n $missing_file ]]; then
    note "$1" "$1: Failed to load environment files: No such file or directory"
    end_badly "$1"
  elif ! run_lines "$1" ExecStartPre; then
    end_badly "$1"
  else
    run_main "$1"
  fi
  keep_loaded "$1"
  activity_of "$1"
  [[ $REPLY == active || $kind == simple || $kind == exec || ($kind == oneshot && $REPLY == inactive) ]]
}

start_required() {
  local other
  for other in ${setting[Unit.Requires]:-} ${setting[Unit.BindsTo]:-} ${setting[Unit.Wants]:-}; do
    if [[ $other == *.service ]] && exists "$other" && ! is_masked "$other"; then
      (start_unit "$other") || true
    fi
  done
}

read_variables() { # read_variables UNIT
  local line file words
  while IFS= read -r line; do
    split_command "$line" "$1"
    for line in "${words[@]}"; do [[ $line != *=* ]] || variables[${line%%=*}]=${line#*=}; done
  done <<<"${setting[Service.Environment]:-}"
  while IFS= read -r file; do
    [[ -z $file || $file == -* || -e $file ]] || missing_file=$file
    text_of "${file#-}"
    while IFS= read -r line; do
      [[ $line =~ ^[[:space:]]*([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] || continue
      variables[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]#[\"\']}
      variables[${BASH_REMATCH[1]}]=${variables[${BASH_REMATCH[1]}]%[\"\']}
    done <<<"$REPLY"
  done <<<"${setting[Service.EnvironmentFile]:-}"
}

run_lines() { # run_lines UNIT KEY: commands that end by themselves
  local line words
  while IFS= read -r line; do
    [[ -n $line ]] || continue
    split_command "$line" "$1"
    run_program "$1" "${words[@]}" || [[ $line == -* ]] || return 1
  done <<<"${setting[Service.$2]:-}"
}

run_main() { # run_main UNIT
  local code=0 words
  last_of Service.ExecStart ''
  split_command "$REPLY" "$1"
  if ((${#words[@]} > 0)); then
    run_program "$1" "${words[@]}" || code=$?
  fi
  text_of "$volatile/units/$1"
  if [[ $REPLY == active ]]; then
    note "$1" "Started $1."
  elif ((code != 0)); then
    note "$1" "$1: Main process exited, code=exited, status=$code"
    end_badly "$1"
  elif [[ $kind == oneshot && $remain == yes ]]; then
    printf active >"$volatile/units/$1"
  else
    rm -f "$volatile/units/$1"
  fi
}

end_badly() { # end_badly UNIT
  local state=failed
  last_of Service.Restart no
  [[ $REPLY == no || $kind == oneshot ]] || state=activating
  printf '%s' "$state" >"$volatile/units/$1"
}

# A program of ours ends when it has done all that it would do as a daemon; any other that still runs after a while is one.
run_program() { # run_program UNIT WORD...: ends with the exit code
  local unit=$1 pid name tries=60 idle environment=()
  shift
  for name in "${!variables[@]}"; do environment+=("$name=${variables[$name]}"); done
  if ! type -P "$1" >/dev/null; then
    note "$unit" "$unit: Failed to locate executable $1: No such file or directory"
    return 203
  fi
  mkdir -p "$volatile/pids"
  ! is_ours "$1" || tries=4000
  setsid env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin "KPSSH_SANDBOX_UNIT=$unit" "${environment[@]}" "$@" \
    </dev/null >>"$volatile/journal/$unit" 2>&1 77>&- 78>&- &
  pid=$!
  exec {idle}<> <(:)
  while ((tries-- > 0)) && kill -0 "$pid" 2>/dev/null; do
    read -r -t 0.005 -u "$idle" _ || true
  done
  exec {idle}>&-
  if ((tries < 0)) && kill -0 "$pid" 2>/dev/null; then
    printf '%s\n' "$pid" >"$volatile/pids/$unit"
    printf active >"$volatile/units/$unit"
    return 0
  fi
  wait "$pid"
}

is_ours() { # is_ours PROGRAM
  local file head=''
  file=$(type -P "$1")
  IFS= read -r -d '' -n 400 head <"$file" || true
  [[ $head == *'/.sandbox/'* ]]
}

# As systemd does: quotes anywhere, $NAME alone is several words, ${NAME} one, %% and $$ are themselves.
split_command() { # split_command LINE UNIT: sets words
  local rest=$1 unit=$2 word='' begun=''
  while [[ $rest == [-@:+!]* ]]; do rest=${rest:1}; done
  words=()
  while [[ -n $rest ]]; do
    if [[ $rest =~ ^[[:space:]]+ ]]; then
      rest=${rest:${#BASH_REMATCH[0]}}
      [[ -z $begun ]] || add_word "$word"
      word='' begun=''
    elif [[ $rest =~ ^\"([^\"]*)\" || $rest =~ ^\'([^\']*)\' || $rest =~ ^([^[:space:]\"\']+) ]]; then
      word+=${BASH_REMATCH[1]} begun=yes
      rest=${rest:${#BASH_REMATCH[0]}}
    else
      break
    fi
  done
  [[ -z $begun ]] || add_word "$word"
}

add_word() { # add_word WORD
  local word=$1 more out=''
  word=${word//'%%'/$'\1'}
  word=${word//'%n'/$unit}
  word=${word//'%N'/${unit%.*}}
  word=${word//$'\1'/%}
  word=${word//'$$'/$'\1'}
  if [[ $word =~ ^\$([A-Za-z_][A-Za-z0-9_]*)$ ]]; then
    read -r -a more <<<"${variables[${BASH_REMATCH[1]}]:-}"
    words+=("${more[@]}")
    return
  fi
  while [[ $word =~ ^([^$]*)\$\{([A-Za-z_][A-Za-z0-9_]*)\}(.*)$ ]]; do
    out+=${BASH_REMATCH[1]}${variables[${BASH_REMATCH[2]}]:-}
    word=${BASH_REMATCH[3]}
  done
  word=$out$word
  words+=("${word//$'\1'/\$}")
}

stop_unit() { # stop_unit UNIT
  local pid
  if [[ -e $volatile/pids/$1 ]]; then
    read -r pid <"$volatile/pids/$1"
    kill -TERM -- "-$pid" 2>/dev/null || true
    rm -f "$volatile/pids/$1"
  fi
  if [[ -e $volatile/units/$1 ]]; then
    rm -f "$volatile/units/$1"
    note "$1" "Stopped $1."
  fi
  forget_unless_held "$1"
}

# Time passes for units only while somebody sleeps: what waits for its restart is restarted then.
pass_time() { # pass_time SECONDS
  local file unit waited pause
  local -A setting=()
  for file in "$volatile/units"/*; do
    text_of "$file"
    [[ $REPLY == activating ]] || continue
    unit=${file##*/}
    setting=()
    loaded_text "$unit"
    settings_of "$REPLY"
    last_of Service.RestartSec 1
    pause=${REPLY%%[!0-9]*}
    text_of "$volatile/waited/$unit"
    waited=$((${REPLY:-0} + $1))
    mkdir -p "$volatile/waited"
    printf '%s' "$((waited >= ${pause:-1} ? 0 : waited))" >"$volatile/waited/$unit"
    ((waited < ${pause:-1})) || (start_unit "$unit") || true
  done
}
