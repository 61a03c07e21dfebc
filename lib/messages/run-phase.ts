import { z } from 'zod'
import { HostKey } from '../hosts/host-record.ts'

/** Asks for one phase on one host. A hint: the table decides whether it is still wanted. */
export const RunPhase = z.strictObject({
  type: z.literal('RunPhase'),
  version: z.literal(1),
  cluster: z.string().min(1),
  phase: z.enum(['install', 'join', 'leave']),
  host: HostKey,
  /** The claim it is for. Absent only for a leave of a host that nobody claims. */
  nodeClaim: z.strictObject({ name: z.string(), uid: z.string() }).optional(),
  /** The run to go on watching; absent to start one. */
  runId: z.string().optional(),
  /** Why: `Launch`, `Release`, `JoinFailed`, `Zombie`, `Abandoned`, `Retry`. */
  reason: z.string(),
  attempt: z.number().int().min(1),
  requestedAtMs: z.number(),
  /** After this instant the request is not worth trying any more. */
  deadlineAtMs: z.number(),
})
export type RunPhase = Readonly<z.infer<typeof RunPhase>>

/** Asks for a look at some hosts, at most 50 of one pool. */
export const ProbeHosts = z.strictObject({
  type: z.literal('ProbeHosts'),
  version: z.literal(1),
  cluster: z.string().min(1),
  hosts: z.array(HostKey).min(1).max(50),
  reason: z.string(),
  attempt: z.number().int().min(1),
  requestedAtMs: z.number(),
  deadlineAtMs: z.number(),
})
export type ProbeHosts = Readonly<z.infer<typeof ProbeHosts>>

/** A phase ended or a probe changed what is known: sent to the cluster's group, so that nothing waits for a heartbeat. */
export const HostChanged = z.strictObject({
  type: z.literal('HostChanged'),
  version: z.literal(1),
  cluster: z.string().min(1),
  host: HostKey,
  what: z.enum(['install', 'join', 'leave', 'probe']),
  atMs: z.number(),
})
export type HostChanged = Readonly<z.infer<typeof HostChanged>>
