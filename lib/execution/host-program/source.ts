// Generated from the shell files beside it by infra/host-program/generate.ts: edit those.
/* eslint-disable max-lines -- generated */

export const adoptPart = `adopt() {
check_prerequisites
prepare_directories
take_lock
read_started
{ printf '\\n%s %s %s adopt %s %(%s)T - .\\n' "$kp_fence" "$kp_installation" "$kp_id" "$kp_boot" -1 \\
>>"$kp_state/started"; } 2>/dev/null || unable StateNotWritable "$kp_state/started"
say adopted "$kp_owner"
finish
}
`

export const commonPart = `kp_state=\${KPSSH_ROOT:-}/var/lib/kpssh
kp_volatile=\${KPSSH_ROOT:-}/run/kpssh
{ read -r _; read -r _ kp_umask; } </proc/self/status # what umask prints, without a process for it
[[ $kp_umask =~ ^[0-7]+$ ]] || kp_umask=$(umask)
umask 077
say() {
printf '\\n%s %s\\n' "$kp_marker" "$*"
}
finish() {
say end
exit 0
}
unable() { # unable REASON MESSAGE
say unable "$@"
finish
}
refuse() { # refuse REASON FACT
say refused "$@"
finish
}
say_file() { # say_file NAME FILE: a section that holds the file, left out where there is nothing
local body
[[ -s $2 ]] || return 0
say "$1"
IFS= read -r -d '' body <"$2"
printf '%s' "$body"
}
read_boot_id() { # sets kp_boot
local file=\${KPSSH_ROOT:-}/proc/sys/kernel/random/boot_id
[[ -r $file ]] || file=/proc/sys/kernel/random/boot_id
kp_boot=unknown
read -r kp_boot <"$file"
}
read_started() { # sets kp_lines, kp_highest, kp_adopted, kp_owner, and kp_started_boot for the run kp_id
local line lines pattern='^([0-9]{1,15}) ([^ ]+) ([^ ]+) ([^ ]+) ([^ ]+) ([0-9]+) ([^ ]+) \\.$'
kp_lines=() kp_highest=0 kp_adopted=0 kp_owner='' kp_started_boot=''
[[ -f $kp_state/started ]] || return 0
mapfile -t lines <"$kp_state/started"
for line in "\${lines[@]}"; do
[[ $line =~ $pattern ]] || continue
kp_lines+=("$line")
[[ \${BASH_REMATCH[4]} != adopt ]] || kp_highest=0 kp_adopted=\${BASH_REMATCH[1]}
((BASH_REMATCH[1] > kp_highest)) && kp_highest=\${BASH_REMATCH[1]}
[[ \${BASH_REMATCH[2]} == - ]] || kp_owner=\${BASH_REMATCH[2]}
[[ \${BASH_REMATCH[3]} == "$kp_id" ]] && kp_started_boot=\${BASH_REMATCH[5]}
done
return 0
}
read_current() { # sets kp_current and kp_keeper: the run started last since the boot, and the process that keeps it
kp_current='' kp_keeper=''
[[ -r $kp_volatile/current ]] && read -r kp_current kp_keeper <"$kp_volatile/current"
return 0
}
has_outcome() { # has_outcome RUN
local last
[[ -s $kp_state/runs/$1.outcome ]] && { read -r _; read -r last; } <"$kp_state/runs/$1.outcome" && [[ $last == end ]]
}
`

export const launchPart = `start() {
check_prerequisites
take_payload
wait_for_turn
carry_on
}
wait_for_turn() {
prepare_directories
read_started
[[ -z $kp_started_boot ]] || attach_to_known
refuse_unless_in_order
take_lock || attach_to_known
read_started # once more: somebody may have started, this very run too, before the lock was ours
[[ -z $kp_started_boot ]] || { exec 9>&-; attach_to_known; }
refuse_unless_in_order
}
carry_on() {
recover
prune
write_files || { forget_secrets "$kp_id"; : >"$kp_volatile/current"; unable StateNotWritable "$kp_state or $kp_volatile"; }
hand_over
watch "$kp_end_of_run"
}
check_prerequisites() {
local tool missing=()
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || unable BashTooOld "$BASH_VERSION"
[[ $EUID == 0 || -n \${KPSSH_ROOT:-} ]] || unable NotRoot "uid $EUID" # a sandbox is its own user's
for tool in flock setsid mkdir mv rm cat head tail wc timeout; do
type -P "$tool" >/dev/null || missing+=("$tool")
done
((\${#missing[@]} == 0)) || unable MissingPrerequisite "\${missing[*]}"
}
take_payload() {
local name length
for name in script redact supervisor; do
length=kp_\${name}_length
((\${!length} == 0)) || IFS= read -r -N "\${!length}" "kp_$name" || unable RequestCutShort "stdin ended in the $name"
done
}
prepare_directories() {
[[ -d $kp_state/runs && -d $kp_volatile && -O $kp_state && -O $kp_volatile ]] && return
mkdir -p "$kp_state" "$kp_state/runs" "$kp_volatile" || unable StateNotWritable "$kp_state or $kp_volatile"
} 2>/dev/null
refuse_unless_in_order() {
local now
[[ -z $kp_owner || $kp_owner == "$kp_installation" ]] || refuse ForeignInstallation "$kp_owner"
printf -v now '%(%s)T' -1
((now > 1735689600)) || now=1735689600 # a board without a clock battery wakes up long before 2025
((now > kp_adopted)) || now=$kp_adopted
((kp_fence <= now + 315360000)) || refuse FenceAbsurd "$now"
((kp_fence > kp_highest)) || refuse FenceStale "$kp_highest"
}
take_lock() { # fails if somebody was faster with this very run
local try
exec 9>>"$kp_volatile/lock" || unable StateNotWritable "$kp_volatile/lock"
for try in {1..25}; do
flock -n 9 && return
read_current
if [[ $kp_current == "$kp_id" ]]; then
read_started
[[ -z $kp_started_boot ]] || { exec 9>&-; return 1; }
elif [[ -n $kp_current ]] && ! has_outcome "$kp_current"; then
refuse RunInProgress "$kp_current"
fi
flock -w 0.2 9 && return
done
refuse RunInProgress "\${kp_current:-unknown}"
}
prune() {
local line id phase adoption=() gone=()
read_current
[[ -s $kp_volatile/$kp_current.output ]] && : >"$kp_volatile/$kp_current.output"
((\${#kp_lines[@]} >= 40)) || return 0
for line in "\${kp_lines[@]:0:\${#kp_lines[@]}-19}"; do
read -r _ _ id phase _ <<<"$line"
[[ $phase != adopt ]] || adoption=("$line")
gone+=("$kp_state/runs/$id".{outcome,o,e} "$kp_volatile/$id.output")
done
printf '%s\\n' "\${adoption[@]}" "\${kp_lines[@]: -19}" >"$kp_state/started.new" && mv "$kp_state/started.new" "$kp_state/started"
rm -f "\${gone[@]}"
}
write_files() {
local base=$kp_volatile/$kp_id
printf '%s' "$kp_script" >"$base.script" &&
printf '%s' "$kp_redact" >"$base.redact" &&
: >"$base.output" &&
{
declare -p kp_id kp_state kp_volatile kp_umask kp_locale kp_timeout_ms kp_grace_ms kp_script_offset
printf '%s' "$kp_supervisor"
} >"$base.run" &&
printf '%s -\\n' "$kp_id" >"$kp_volatile/current" &&
printf '\\n%s %s %s %s %s %(%s)T %s .\\n' "$kp_fence" "$kp_installation" "$kp_id" "$kp_phase" "$kp_boot" -1 "$kp_profile" \\
>>"$kp_state/started"
} 2>/dev/null
hand_over() {
exec {kp_end_of_run}< <(detach)
exec 9>&-
say started
}
detach() {
local run=(setsid bash "$kp_volatile/$kp_id.run") seconds=$(((kp_timeout_ms + kp_grace_ms) / 1000 + 30))
exec </dev/null 2>"$kp_volatile/$kp_id.log"
if [[ -d \${KPSSH_ROOT:-}/run/systemd/system ]] && type -P systemd-run >/dev/null; then
systemd-run --scope --quiet --collect --unit="kpssh-$kp_id" --property=RuntimeMaxSec="$seconds" "\${run[@]}" && exit
[[ -e $kp_volatile/$kp_id.run && ! -e $kp_volatile/$kp_id.trap ]] || exit 0 # it was begun
fi
exec "\${run[@]}"
}
`

export const outputPart = `kp_line_limit=65536
kp_live_limit=524288
kp_block=1048576
relay() { # relay TAG: copies stdin to the output
local tag=$1 line size=0
exec 4>&- 5>&- 6>&1 >>"$kp_volatile/$kp_id.output"
printf 'relay %s\\n' "$BASHPID" >&6
while IFS= read -r -n "$kp_line_limit" line || [[ -n $line ]]; do
if ((\${#line} == kp_line_limit || (size += \${#line} + 1) > kp_live_limit)); then
keep_end
break
fi
redact
emit
done
printf 'closed\\n' >&6
}
emit() {
while ((\${#line} > 4000)); do
printf '%s%s\\n' "\${tag^}" "\${line:0:4000}"
line=\${line:4000}
done
printf '%s%s\\n' "$tag" "$line"
}
keep_end() {
local base=$kp_volatile/$kp_id.$tag round=0
printf '%s[more output than is followed live: its end is kept]\\n' "$tag"
while [[ -e $kp_volatile/$kp_id.run ]] && head -c "$kp_block" >"$base.$((round % 2))" && [[ -s $base.$((round % 2)) ]]; do
printf '%s\\n' "$round" >"$base.n"
((round++))
done
[[ -e $kp_volatile/$kp_id.run ]] || exec tail -c 0 # only a daemon still prints: let it
}
redact() { # redact the line in place; patterns are literal bytes
local secret
may_hold_secret || return 0
for secret in "\${kp_secrets[@]}"; do
[[ $line != *"$secret"* ]] || line=\${line//"$secret"/[REDACTED]}
done
for secret in "\${kp_words[@]}"; do
[[ $line != *"$secret"* ]] || redact_word
done
}
redact_word() { # a value so short that it is only taken for a secret where it stands alone
local left='' rest=$line before after
while [[ $rest == *"$secret"* ]]; do
before=\${rest%%"$secret"*} after=\${rest#*"$secret"}
if [[ ($left$before == '' || $left$before == *[![:alnum:]_]) && ($after == '' || $after == [![:alnum:]_]*) ]]; then
left+=$before'[REDACTED]'
else
left+=$before$secret
fi
rest=$after
done
line=$left$rest
}
keep_output() {
local tag
for tag in o e; do
[[ ! -s $kp_volatile/$kp_id.$tag.n ]] || append_end
done >>"$kp_volatile/$kp_id.output"
[[ ! -s $kp_volatile/$kp_id.output ]] || keep_tails
}
append_end() {
local base=$kp_volatile/$kp_id.$tag round line lines files left
read -r round <"$base.n"
files=("$base.$((round % 2))")
left=$((round * kp_block + $(wc -c <"\${files[0]}")))
((round == 0)) || files=("$base.$(((round - 1) % 2))" "\${files[@]}")
mapfile -t lines < <(cat "\${files[@]}" | tail -c "$((2 * kp_line_limit))")
lines=("\${lines[@]:1}") # the first one is cut
for line in "\${lines[@]}"; do ((left -= \${#line} + 1)); done
printf '%s[%s bytes left out]\\n' "$tag" "$((left > 0 ? left : 0))"
for line in "\${lines[@]}"; do
((\${#line} < kp_line_limit)) || line='[a line over the limit]'
redact
emit
done
}
keep_tails() {
local lines tag index
mapfile -t lines <"$kp_volatile/$kp_id.output"
for tag in o e; do
find_tail
for ((; index < \${#lines[@]}; index++)); do
case \${lines[index]:0:1} in
"$tag") printf '%s\\n' "\${lines[index]:1}" ;;
"\${tag^}") printf '%s' "\${lines[index]:1}" ;;
esac
done >"$kp_state/runs/$kp_id.$tag"
done
}
find_tail() { # sets index to the first line of the tail
local at size=0 whole=\${#lines[@]}
index=$whole
for ((at = whole - 1; at >= 0; at--)); do
[[ \${lines[at]:0:1} == ["$tag\${tag^}"] ]] || continue
[[ \${lines[at]:0:1} != "$tag" ]] || whole=$index # what follows this one begins a line
(((size += \${#lines[at]}) <= kp_line_limit)) || break
index=$at
done
((at < 0)) || index=$whole
}
`

export const probePart = `probe() {
local tool machine cpu memory_kb running='' now states=''
check_prerequisites
for tool in nproc uname base64; do
type -P "$tool" >/dev/null || unable MissingPrerequisite "$tool"
done
[[ -w \${KPSSH_ROOT:-}/run && -w \${KPSSH_ROOT:-}/var/lib ]] || unable StateNotWritable "$kp_state or $kp_volatile"
cpu=$(nproc) machine=$(uname -m)
read_memory
if type -P systemctl >/dev/null; then
states=$(timeout 10 systemctl is-active -- "\${kp_units[@]}" 2>/dev/null)
fi
read_started
read_running
read_now
say facts
printf '%s\\n' "cpu=$cpu" "memory_kb=$memory_kb" "machine=$machine" "now_ms=$now" "boot=$kp_boot" \\
"states=\${states//$'\\n'/ }" "installation=$kp_owner" "fence=$kp_highest" "running=$running"
finish
}
read_memory() {
local name value file=\${KPSSH_ROOT:-}/proc/meminfo
[[ -r $file ]] || file=/proc/meminfo
while read -r name value _; do
[[ $name == MemTotal: ]] && memory_kb=$value && break
done <"$file"
}
read_now() {
if [[ -n \${EPOCHREALTIME:-} ]]; then
now=\${EPOCHREALTIME/[.,]/}
now=\${now%???}
else
printf -v now '%(%s)T500' -1 # half a second is the best guess that whole seconds allow
fi
}
read_running() {
read_current
[[ -n $kp_current ]] && ! has_outcome "$kp_current" || return 0
{ exec 9<"$kp_volatile/lock"; } 2>/dev/null || return 0
flock -n -s 9 || running=$kp_current
}
`

export const processesPart = `signal_run() { # signal_run SIGNAL LEADER RUN [ROOT [SPARED...]]
local signal=$1 leader=$2 run=$3 root=\${4:-none} stat line pid cgroups fields
local -A parent=() session=() chosen=() spared=()
local -a ordered=()
for pid in "\${@:5}"; do spared[$pid]=1; done
for stat in /proc/[0-9]*/stat; do
{ read -r line <"$stat"; } 2>/dev/null || continue
pid=\${line%% *}
read -r -a fields <<<"\${line##*) }"
parent[$pid]=\${fields[1]} session[$pid]=\${fields[3]}
done
for pid in "\${!parent[@]}"; do
[[ -z \${spared[$pid]:-} ]] || continue
[[ -z \${spared[\${parent[$pid]}]:-} || \${parent[$pid]} == "$root" ]] || continue
if [[ \${session[$pid]} == "$leader" ]] || descends "$pid" "$root"; then
chosen[$pid]=1
elif { mapfile -t cgroups <"/proc/$pid/cgroup"; } 2>/dev/null && [[ \${cgroups[*]} == */kpssh-"$run".scope* ]]; then
chosen[$pid]=1
fi
done
unset "chosen[$$]" "chosen[$BASHPID]"
order_by_descent
((\${#ordered[@]} == 0)) || kill "-$signal" "\${ordered[@]}" 2>/dev/null
}
order_by_descent() { # order_by_descent, from \`chosen\` and \`parent\` to \`ordered\`
local pid above depth
ordered=()
for pid in "\${!chosen[@]}"; do
above=\${parent[$pid]}
for ((depth = 0; depth < 1000; depth++)); do
[[ -n \${chosen[$above]:-} ]] || break
above=\${parent[$above]}
done
ordered[depth << 22 | pid]=$pid # Linux knows no process number above 2^22
done
}
descends() { # descends PID ROOT, by the parents that signal_run has read
local pid=$1
while [[ -n \${parent[$pid]:-} && $pid -gt 1 ]]; do
[[ \${parent[$pid]} == "$2" ]] && return 0
pid=\${parent[$pid]}
done
return 1
}
is_alive() { # is_alive PID: more than a zombie
local line
{ read -r line <"/proc/$1/stat"; } 2>/dev/null && [[ \${line##*) } != [ZX]* ]]
}
recover() {
read_current
[[ -n $kp_current ]] && ! has_outcome "$kp_current" || return 0
[[ $kp_current != "$kp_id" || -n $kp_started_boot ]] || return 0 # it was about to start and never did
is_alive "$kp_keeper" && kp_keeper=none
signal_run KILL "$kp_keeper" "$kp_current"
forget_secrets "$kp_current"
keep_lost "$kp_current"
}
forget_secrets() { # forget_secrets RUN: everything but the redacted output
rm -f "$kp_volatile/$1".{script,parameters,redact,run,trap,line,log,o.0,o.1,o.n,e.0,e.1,e.n}
}
keep_lost() { # keep_lost RUN
printf 'lost - 0 -\\nend\\n' >"$kp_state/runs/$1.outcome"
}
`

export const supervisePart = `supervise() {
local base=$kp_volatile/$kp_id begun open=2 code='' kind=exited line=- event
LC_ALL=C
umask 077
set -m # children keep the default dispositions of SIGINT and SIGQUIT
printf '%s %s\\n' "$kp_id" "$$" >"$kp_volatile/current"
uptime_ms && begun=$kp_uptime
. "$base.redact" # kp_secrets, kp_words and may_hold_secret
exec 6< <(carry_out)
kp_parent=$!
kp_spared=("$kp_parent")
until_exit "$((begun + kp_timeout_ms))" || {
kind=timed-out
end_script
}
[[ -n $code || $kind == timed-out ]] || kind=killed # nobody is left to tell
until_closed
uptime_ms
[[ $code == 0 ]] || read_failed_line
keep_output
forget_secrets "$kp_id"
[[ $kind == exited ]] || code=-
printf '%s %s %s %s\\nend\\n' "$kind" "$code" "$((kp_uptime - begun))" "$line" >"$kp_state/runs/$kp_id.outcome"
printf 'ended\\n' # to the one who started it, if it still listens
}
carry_out() {
exec 9>&-
exec 4> >(relay o) 5> >(relay e)
set -m
run_script &
exec 4>&- 5>&-
wait "$!"
printf 'exit %s\\n' "$?"
}
uptime_ms() { # sets kp_uptime; no clock that somebody sets
read -r kp_uptime _ </proc/uptime
kp_uptime=\${kp_uptime/./}0
}
next_event() { # next_event MS: sets event; fails when the time is over, and with an empty event when nobody is left
local seconds
event='(none)'
(($1 > 0)) || return 1
printf -v seconds '%d.%03d' "$(($1 / 1000))" "$(($1 % 1000))"
read -r -t "$seconds" -u 6 event && return
(($? <= 128)) || return 1
event=''
}
until_exit() { # until_exit UPTIME
while [[ -z $code ]]; do
uptime_ms
next_event "$(($1 - kp_uptime))" || return 1
case $event in
relay\\ *) kp_spared+=("\${event#relay }") ;;
closed) ((open--)) ;;
exit\\ *) code=\${event#exit } ;;
'') return 0 ;;
esac
done
}
end_script() {
signal_run TERM "$$" "$kp_id" "$kp_parent" "\${kp_spared[@]}"
until_exit "$((kp_uptime + kp_grace_ms))"
signal_run KILL "$$" "$kp_id" "$kp_parent" "\${kp_spared[@]}"
until_exit "$((kp_uptime + 5000))"
}
until_closed() {
local limit before now=none patience=200
uptime_ms
limit=$((kp_uptime + 30000))
while ((open > 0)) && uptime_ms && ((kp_uptime < limit)); do
if next_event "$patience"; then
case $event in
closed) ((open--)) ;;
'') return ;;
esac
continue
fi
before=$now patience=1000
now=$(wc -c "$kp_volatile/$kp_id.output" "$kp_volatile/$kp_id".[oe].*)
[[ $now != "$before" ]] || return
done 2>/dev/null
}
run_script() {
write_traps >"$kp_volatile/$kp_id.trap"
exec >&4 2>&5 4>&- 5>&-
umask "$kp_umask"
[[ ! -e $kp_volatile/$kp_id.parameters ]] || . "$kp_volatile/$kp_id.parameters"
if [[ -n $kp_locale ]]; then LC_ALL=\${kp_locale#=}; else unset LC_ALL; fi
BASH_ENV=$kp_volatile/$kp_id.trap exec bash "$kp_volatile/$kp_id.script"
}
write_traps() {
local file theirs='unset BASH_ENV'
printf -v file '%q' "$kp_volatile/$kp_id.line"
[[ -z \${BASH_ENV+set} ]] || printf -v theirs 'BASH_ENV=%q\\n. "$BASH_ENV"' "$BASH_ENV"
printf "trap '{ %s || :; } 2>/dev/null' %s\\n" \\
'echo "$LINENO" >|'"$file" ERR \\
'[[ $? == 0 || -z \${FUNCNAME-} ]] || echo "\${BASH_LINENO[-2]}" >|'"$file" EXIT
printf '%s\\n' "$theirs"
}
read_failed_line() { # sets line, counted from the script's own first
local number
[[ -s $kp_volatile/$kp_id.line ]] && read -r number <"$kp_volatile/$kp_id.line"
[[ \${number:-} =~ ^[0-9]+$ ]] && ((number > kp_script_offset)) && line=$((number - kp_script_offset))
}
`

export const watchPart = `attach() {
read_started
[[ -n $kp_started_boot ]] || { say unknown; finish; }
attach_to_known
}
attach_to_known() {
has_outcome "$kp_id" || find_out
watch ""
}
find_out() {
local try
if [[ $kp_started_boot != "$kp_boot" ]]; then
keep_lost "$kp_id"
return
fi
{ exec 9>>"$kp_volatile/lock"; } 2>/dev/null || { keep_lost "$kp_id"; return; }
for try in {1..25}; do
if flock -n 9; then # nobody keeps any run
recover
has_outcome "$kp_id" || keep_lost "$kp_id"
break
fi
read_current
[[ $kp_current != "$kp_id" || ! $kp_keeper =~ ^[0-9]+$ ]] || break # it goes on
[[ -z $kp_current || $kp_current == "$kp_id" ]] || has_outcome "$kp_current" || { keep_lost "$kp_id"; break; }
flock -w 0.1 9 && flock -u 9 # somebody is about to start or to look
done
exec 9>&-
}
watch() { # watch FD: a descriptor on which the end of the run is told at once, or nothing
local wait=$kp_wait_ms brief
if [[ -n $1 ]]; then # a run that has nothing to do ends before it is worth following its output
printf -v brief '0.%03d' "$((wait < 300 ? wait : 300))"
read -r -t "$brief" -u "$1" _
((wait -= 300))
fi
if ((wait >= 1000)) && ! has_outcome "$kp_id"; then
read_current
say output
timeout "$((wait / 1000 + 1))" tail -c "+$((kp_offset + 1))" -s 0.2 --pid="$kp_keeper" -f "$kp_volatile/$kp_id.output"
elif [[ -s $kp_volatile/$kp_id.output ]]; then
say output
tail -c "+$((kp_offset + 1))" "$kp_volatile/$kp_id.output"
fi 2>/dev/null
report
}
report() {
local outcome
has_outcome "$kp_id" || { say running; finish; }
read -r outcome <"$kp_state/runs/$kp_id.outcome"
say finished "$outcome"
say_file stdout "$kp_state/runs/$kp_id.o"
say_file stderr "$kp_state/runs/$kp_id.e"
finish
}
`
