/** The phases that a run of the control plane carries out. */
export type RunPhaseName = 'install' | 'join' | 'leave'
