# Makes the host belong to an installation, whatever it remembered: an operator vouches for that. Fences count anew from here.

adopt() {
  check_prerequisites
  prepare_directories
  take_lock
  read_started
  { printf '\n%s %s %s adopt %s %(%s)T - .\n' "$kp_fence" "$kp_installation" "$kp_id" "$kp_boot" -1 \
    >>"$kp_state/started"; } 2>/dev/null || unable StateNotWritable "$kp_state/started"
  say adopted "$kp_owner"
  finish
}
