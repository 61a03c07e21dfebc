// What a phase that is run by hand sends: rendered, or for a host in mode Verified byte for byte what was signed.
import { SpecError } from '../errors/spec-error.ts'
import { preparePhase, signedFor, type PreparedPhase } from '../phase/prepare-phase.ts'
import type { JoinContext } from '../profile/join-context.ts'
import type { Profile } from '../profile/profile.ts'
import { verbatimPhase } from '../profile/render-phase.ts'
import type { ScriptPhase } from '../profile/script-phase.ts'
import { UsageError, type Arguments } from './command.ts'
import { readSignerLines } from './read-signers.ts'

export interface HandRun {
  readonly profile: Profile
  readonly phase: ScriptPhase
  readonly context: JoinContext
  readonly host: string
  readonly isVerified: boolean
  /** Who must have signed; undefined leaves that to the host. */
  readonly signers: readonly string[] | undefined
  readonly nowMs: number
}

/** `envelope`: the newest that the host reads, once that is known. Throws SpecError. */
export function prepareByHand(run: HandRun, envelope: number | undefined): PreparedPhase {
  const { profile, phase, context, signers: trustedSigners, nowMs } = run
  if (run.isVerified && trustedSigners === undefined) return unchecked(run, envelope)
  const verified = trustedSigners && { trustedSigners }
  const question = { profile, phase, context, nowMs, attachedMs: Infinity }
  return preparePhase({ key: { name: run.host }, verified, envelope }, question)
}

function unchecked({ profile, phase, context }: HandRun, envelope: number | undefined): PreparedPhase {
  const signed = signedFor(profile, phase, envelope)
  if (signed.manifest ?? signed.signature) return { ...verbatimPhase(profile, phase, context), signed }
  throw new SpecError(
    `Cannot ${phase} by profile "${profile.metadata.name}": nobody has signed its ${phase}, sign it with kpssh profile sign`,
    { reason: 'SignatureMissing' },
  )
}

/** Public key lines, or a file of them. Throws UsageError, SpecError. */
export async function readSigners({ values, switches }: Arguments): Promise<readonly string[] | undefined> {
  const given = values['signer']
  if (given === undefined) return undefined
  if (!switches.has('verified')) {
    throw new UsageError(
      'Cannot use --signer alone: only a host in mode Verified checks signers, add --verified',
    )
  }
  return readSignerLines(given)
}
