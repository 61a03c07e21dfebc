import { z } from 'zod'
import { Duration } from './duration.ts'
import { ManifestMeta, ObjectMeta } from './object-meta.ts'

const Script = z.string().max(262144)
const Signature = z.string().max(16384)

/** A declared var: no default means that every node class must set it. */
export const ProfileParameter = z.object({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
  type: z.enum(['String', 'Integer', 'Boolean']).default('String'),
  default: z.string().max(2048).optional(),
  /** For people: what the value does. */
  meaning: z.string().max(1024).optional(),
  /** Regular expression that the whole value must match. */
  pattern: z.string().max(1024).optional(),
})
export type ProfileParameter = Readonly<z.infer<typeof ProfileParameter>>

export const SSHJoinProfileSpec = z.object({
  version: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,63}$/)
    .default('1'),
  scripts: z.object({ install: Script, join: Script, leave: Script, uninstall: Script.optional() }),
  timeouts: z
    .object({ install: Duration.optional(), join: Duration.optional(), leave: Duration.optional() })
    .optional(),
  /** Armored SSHSIG text per phase. */
  signatures: z
    .object({
      install: Signature.optional(),
      join: Signature.optional(),
      leave: Signature.optional(),
      uninstall: Signature.optional(),
    })
    .optional(),
  /** systemd units whose activity means that the host is a member. */
  agentUnits: z.array(z.string()).min(1).max(16).default(['kubelet']),
  parameters: z.array(ProfileParameter).max(64).optional(),
})
export type SSHJoinProfileSpec = Readonly<z.infer<typeof SSHJoinProfileSpec>>

export const SSHJoinProfile = z.object({ metadata: ObjectMeta, spec: SSHJoinProfileSpec })
export type SSHJoinProfile = Readonly<z.infer<typeof SSHJoinProfile>>

/** The profile as its author writes it. */
export const SSHJoinProfileManifest = z.object({
  apiVersion: z.literal('karpenter.dklesev.github.io/v1beta1'),
  kind: z.literal('SSHJoinProfile'),
  metadata: ManifestMeta,
  spec: SSHJoinProfileSpec,
})
export type SSHJoinProfileManifest = Readonly<z.infer<typeof SSHJoinProfileManifest>>
