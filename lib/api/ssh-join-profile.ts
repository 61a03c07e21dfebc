import { z } from 'zod'
import { listMap } from './crd-meta.ts'
import { Duration } from './duration.ts'
import { ManifestMeta, ObjectMeta } from './object-meta.ts'

const Script = z.string().max(262144)
const Signature = z.string().max(16384)

function timeout(phase: string, fallback: string) {
  return Duration.describe(`How long ${phase} may run; ${fallback} if absent or zero.`).optional()
}

/** A declared var: without a default, every node class must set it. */
export const ProfileParameter = z.object({
  name: z
    .string()
    .max(253)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .describe('Key in the vars of a node class.'),
  type: z.enum(['String', 'Integer', 'Boolean']).describe('What the value must be.').default('String'),
  default: z.string().max(2048).describe('Used by a node class that does not set it.').optional(),
  meaning: z.string().max(1024).describe('For people: what the value does.').optional(),
  pattern: z.string().max(1024).describe('Regular expression that the whole value must match.').optional(),
})
export type ProfileParameter = Readonly<z.infer<typeof ProfileParameter>>

const Scripts = z
  .object({
    install: Script.describe('Puts what a node needs on the host. Runs when version or vars changed.'),
    join: Script.describe('Makes the installed host a node.'),
    leave: Script.describe(
      'Takes the node out, ready to join again. Gets the two addresses and nothing else.',
    ),
    uninstall: Script.describe('Takes off what install put there. Run by hand alone.').optional(),
  })
  .describe('Shell scripts, one per phase.')

const Signatures = z
  .object({
    install: Signature.describe('Signature of scripts.install.').optional(),
    join: Signature.describe('Signature of scripts.join.').optional(),
    leave: Signature.describe('Signature of scripts.leave.').optional(),
    uninstall: Signature.describe('Signature of scripts.uninstall.').optional(),
  })
  .describe('Armored SSHSIG text over the exact bytes of each script, for mode Verified.')

function manifest(phase: string) {
  return z
    .object({
      manifest: z
        .string()
        .min(1)
        .max(65536)
        .describe(
          'What was signed: profile, version, phase, digest of the script, time span, serial, params.',
        ),
      signature: Signature.min(1).describe('Armored SSHSIG text over the exact bytes of the manifest.'),
    })
    .describe(`Signed manifest of scripts.${phase}.`)
    .optional()
}

const Manifests = z
  .object({
    install: manifest('install'),
    join: manifest('join'),
    leave: manifest('leave'),
    uninstall: manifest('uninstall'),
  })
  .describe('What an offline key allows to be run, for hosts in mode Verified.')

export const SSHJoinProfileSpec = z
  .object({
    version: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,63}$/)
      .describe('Raise it whenever install changes: hosts with another version are installed again.')
      .default('1'),
    scripts: Scripts,
    timeouts: z
      .object({
        install: timeout('install', '10m'),
        join: timeout('join', '5m'),
        leave: timeout('leave', '3m'),
      })
      .describe('Whole hours, minutes and seconds: 90s, 10m, 1h30m.')
      .optional(),
    signatures: Signatures.optional(),
    manifests: Manifests.optional(),
    agentUnits: z
      .array(
        z
          .string()
          .max(256)
          .regex(/^[A-Za-z0-9:_.@-]+$/),
      )
      .min(1)
      .max(16)
      .describe('systemd units whose activity means that the host is a node.')
      .default(['kubelet']),
    parameters: z
      .array(ProfileParameter)
      .max(64)
      .meta({ description: 'The vars that the scripts read.', ...listMap('name') })
      .optional(),
  })
  .describe('How a host becomes a node and stops being one.')
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
