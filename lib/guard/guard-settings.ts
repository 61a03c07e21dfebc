export interface GuardSettings {
  /** A host that nobody holds is looked at when its last look is this old. A little less than the schedule's period. */
  readonly probeIntervalMs: number
  /** Hosts per message, at most 50. Hosts that did not answer last time get messages of their own. */
  readonly hostsPerProbe: number
  /** After a run's lease has expired, this long is left to the message that may still be on its way. */
  readonly resumeGraceMs: number
  /** A cluster is silent when its last heartbeat is this old; one is due every 30 s. */
  readonly silentAfterMs: number
  /** How long what the guard asks for is worth trying. */
  readonly requestWindowMs: number
  readonly maxParallel: number
}

export const defaultGuardSettings: GuardSettings = {
  probeIntervalMs: 110_000,
  hostsPerProbe: 25,
  resumeGraceMs: 60_000,
  silentAfterMs: 120_000,
  requestWindowMs: 30 * 60_000,
  maxParallel: 8,
}
