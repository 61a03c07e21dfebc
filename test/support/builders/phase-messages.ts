import type { ProbeHosts, RunPhase } from '../../../lib/messages/run-phase.ts'
import { aHostKey, t0 } from './hosts.ts'

/** For the claim of aClaimedHost, with half an hour to go; an override of undefined takes a field away. */
export function aRunPhase(
  overrides: { readonly [K in keyof RunPhase]?: RunPhase[K] | undefined } = {},
): RunPhase {
  const message = {
    type: 'RunPhase',
    version: 1,
    cluster: 'lab',
    phase: 'join',
    host: aHostKey(),
    nodeClaim: { name: 'workers-abcde', uid: 'uid-1' },
    reason: 'Launch',
    attempt: 1,
    requestedAtMs: t0,
    deadlineAtMs: t0 + 1_800_000,
    ...overrides,
  }
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)) as RunPhase
}

export function aProbeHosts(overrides: Partial<ProbeHosts> = {}): ProbeHosts {
  return {
    type: 'ProbeHosts',
    version: 1,
    cluster: 'lab',
    hosts: [aHostKey()],
    reason: 'Scheduled',
    attempt: 1,
    requestedAtMs: t0,
    deadlineAtMs: t0 + 600_000,
    ...overrides,
  }
}
