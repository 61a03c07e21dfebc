import { z } from 'zod'
import { HostKey } from '../hosts/host-record.ts'

const name = z.string().min(1).max(253)
const id = z.string().max(128)
const reason = z.string().max(128)
const attempt = z.number().int().min(1).max(1_000_000)
/** What a Date can hold. */
const instantMs = z.number().min(0).max(8.64e15)

/** Asks for one phase on one host. A hint: the table decides whether it is still wanted. */
export const RunPhase = z.strictObject({
  type: z.literal('RunPhase'),
  version: z.literal(1),
  cluster: name,
  phase: z.enum(['install', 'join', 'leave']),
  host: HostKey,
  /** The claim it is for. Absent only for a leave of a host that nobody claims. */
  nodeClaim: z.strictObject({ name, uid: id }).optional(),
  /** The run to go on watching; absent to start one. */
  runId: id.optional(),
  /** Why it was asked for, as `Launch` or `NodeClaimGone`: for people alone, nothing is decided by it. */
  reason,
  attempt,
  requestedAtMs: instantMs,
  /** After this instant the request is not worth trying any more. */
  deadlineAtMs: instantMs,
})
export type RunPhase = Readonly<z.infer<typeof RunPhase>>

/** Asks for a look at some hosts, at most 50 of one pool. */
export const ProbeHosts = z.strictObject({
  type: z.literal('ProbeHosts'),
  version: z.literal(1),
  cluster: name,
  hosts: z.array(HostKey).min(1).max(50),
  reason,
  attempt,
  requestedAtMs: instantMs,
  deadlineAtMs: instantMs,
})
export type ProbeHosts = Readonly<z.infer<typeof ProbeHosts>>

/** A phase ended or a probe changed what is known: sent to the cluster's group, so that nothing waits for a heartbeat. */
export const HostChanged = z.strictObject({
  type: z.literal('HostChanged'),
  version: z.literal(1),
  cluster: name,
  host: HostKey,
  what: z.enum(['install', 'join', 'leave', 'probe']),
  atMs: instantMs,
})
export type HostChanged = Readonly<z.infer<typeof HostChanged>>
