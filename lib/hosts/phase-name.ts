/** What is done to a host. `probe` only looks; `uninstall` is never executed by the control plane. */
export type Phase = 'install' | 'join' | 'leave' | 'uninstall' | 'probe'
/** The phases that a run of the control plane carries out. */
export type RunPhaseName = 'install' | 'join' | 'leave'
