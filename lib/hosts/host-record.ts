// What the table remembers of one host. The table is the truth; SSHHost.status is its projection for kubectl.
import { z } from 'zod'

/** Parts of keys in the table: neither its separators nor anything that would not show. */
const keyPart = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[^/#\s\p{C}]+$/u)

/** Identity of a host: the pool that shares it, and the SSHHost's namespace and name. */
export const HostKey = z.strictObject({ pool: keyPart, namespace: keyPart.max(63), name: keyPart })
export type HostKey = Readonly<z.infer<typeof HostKey>>

export function hostKeyText(key: HostKey): string {
  return `${key.pool}/${key.namespace}/${key.name}`
}

export const HostState = z.enum([
  'Pending',
  'Available',
  'Claimed',
  'InUse',
  'Unhealthy',
  'Leaving',
  'Maintenance',
])
export type HostState = z.infer<typeof HostState>

/** Exclusive ownership of a host by one NodeClaim. Has no expiry: it ends by release. */
export const Claim = z.strictObject({
  cluster: z.string(),
  nodeClaim: z.string(),
  uid: z.string(),
  sinceMs: z.number(),
  /** When join ended well under this claim. */
  joinedAtMs: z.number().optional(),
  /** When leave ended well under this claim: what is left to do is Node deletion and release. */
  leftAtMs: z.number().optional(),
  /** Why this claim cannot succeed any more: its host is left and released, its NodeClaim deleted. */
  failure: z
    .strictObject({ phase: z.string(), reason: z.string(), message: z.string(), blamesHost: z.boolean() })
    .optional(),
})
export type Claim = Readonly<z.infer<typeof Claim>>

/** One execution of a phase on a host. Its lease says who watches it, never how long it may live. */
export const Run = z.strictObject({
  id: z.string(),
  phase: z.enum(['install', 'join', 'leave']),
  attempt: z.number().int(),
  fence: z.number().int(),
  startedAtMs: z.number(),
  /** The host ends the script at this instant of our clock plus the time it took to start. */
  timeoutMs: z.number(),
  leaseUntilMs: z.number(),
  holder: z.string(),
  /** The script is cut off from us with its connection: its host keeps no outcome, and may run it on unseen. */
  endsWithContact: z.literal(true).optional(),
  /** For join: a leave was owed before it started, so it stays owed even if nothing was started. */
  wasLeavePending: z.boolean().optional(),
  /** For install: what is installed once it succeeded, as it was when it started. */
  installs: z.strictObject({ marker: z.string(), vars: z.string() }).optional(),
})
export type Run = Readonly<z.infer<typeof Run>>

/** A pinned host key: `SHA256:` and 43 base64 characters; `type` as in SSH (`ssh-ed25519`), absent for a bare fingerprint. */
export const HostKeyPin = z.strictObject({ type: z.string().optional(), fingerprint: z.string() })
export type HostKeyPin = Readonly<z.infer<typeof HostKeyPin>>

/** How a host is spoken to that runs what was signed, and nothing else. */
export const Verified = z.strictObject({
  /** Public keys, as in authorized_keys. */
  trustedSigners: z.array(z.string()),
  shimCommand: z.string(),
})
export type Verified = Readonly<z.infer<typeof Verified>>

export const HostRecord = z.strictObject({
  key: HostKey,
  /** The cluster that the host is tied to; of a free host the one whose inventory named it last. */
  cluster: z.string(),
  /** Grows by one with every write; every write conditions on it. */
  version: z.number().int(),
  /** Identifies the write that made this version, so that a retried write recognizes its own success. */
  writeID: z.string(),
  state: HostState,
  /** UpperCamelCase: why the host is in this state. */
  reason: z.string().optional(),
  message: z.string().optional(),
  /** Only grows; orders everything done to the host. Starts from the time in seconds. */
  fence: z.number().int(),
  claim: Claim.optional(),
  run: Run.optional(),
  /** The run that ended last: a second report of its end is recognized, not applied. */
  lastRun: z
    .strictObject({
      id: z.string(),
      phase: z.enum(['install', 'join', 'leave']),
      result: z.enum(['succeeded', 'failed', 'indeterminate', 'not-started', 'withdrawn']),
      reason: z.string().optional(),
      endedAtMs: z.number(),
    })
    .optional(),
  /** True from the start of a join until a leave succeeded: such a host is not offered. */
  leavePending: z.boolean(),
  /** Attempts of leave since the last one that succeeded. */
  leaveAttempts: z.number().int(),
  quarantine: z.strictObject({ reason: z.string(), message: z.string() }).optional(),
  /** Present while the operator's maintenance annotation is. */
  maintenance: z.boolean(),
  /** False until a probe confirmed what SSHHost.status and the host itself say: the guard does not act before. */
  takenIn: z.boolean(),
  /** `<profile>@<version>` of the last install that succeeded. */
  installed: z.string().optional(),
  /** Digest of the vars that install saw: a difference reinstalls. */
  installedVars: z.string().optional(),
  /** Names the leave recipe stored at the last join. */
  leaveRecipe: z.string().optional(),
  providerID: z.string().optional(),
  nodeName: z.string().optional(),
  hostKeys: z.array(HostKeyPin),
  /** Ids of bootstrap tokens minted for this host and not yet collected. */
  tokenIDs: z.array(z.string()),
  address: z.string(),
  port: z.number().int(),
  user: z.string(),
  nodeAddress: z.string().optional(),
  sshKeySecret: z.string(),
  /** Absent in execMode Raw. */
  verified: Verified.optional(),
  hostClass: z.string(),
  agentUnits: z.array(z.string()),
  /** What the probe saw. */
  capacity: z.strictObject({ cpu: z.number(), memoryBytes: z.number() }).optional(),
  arch: z.string().optional(),
  /** Most alive state of the agent units, as systemd names it. */
  agent: z.enum(['active', 'activating', 'inactive', 'failed', 'unknown']).optional(),
  /** True if the host's own /var/lib/kpssh names our installation. */
  isOursOnHost: z.boolean().optional(),
  bootID: z.string().optional(),
  /** In execMode Verified: the newest envelope that the host's shim reads. */
  envelope: z.number().int().optional(),
  probedAtMs: z.number().optional(),
  probeError: z.string().optional(),
  clockSkewMs: z.number().optional(),
  failures: z
    .strictObject({
      count: z.number().int(),
      lastReason: z.string(),
      lastMessage: z.string(),
      /** The NodeClaim uid whose phase failed, if one did. */
      nodeClaimUid: z.string().optional(),
      notBeforeMs: z.number(),
    })
    .optional(),
})
export type HostRecord = Readonly<z.infer<typeof HostRecord>>
