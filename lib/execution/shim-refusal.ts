// What a shim says when it does not answer: an exit code, and why on stderr. Nothing was run, and nothing it says is trusted to
// be more than a text.
import { toFact } from './host-words.ts'
import { whyNotStarted } from './not-started.ts'
import type { RemoteResult, RunReport, SshTarget } from './ports.ts'

type Unable = Extract<RunReport, { kind: 'unable' }>

interface Refusal {
  readonly reason: string
  readonly state: string
  readonly advice: string
}

/** By exit code, the same in every version of the shim. */
const refusals: Readonly<Record<number, Refusal>> = {
  1: { reason: 'ShimFailed', state: 'failed by itself', advice: 'run it by hand on the host' },
  2: {
    reason: 'SignatureRejected',
    state: 'rejected the signature',
    advice: 'sign with a key that its allowed_signers allows, for this namespace and now',
  },
  3: {
    reason: 'ParameterRefused',
    state: 'refused a parameter',
    advice: 'leave it out, or declare it in the profile with a pattern that it matches and sign again',
  },
  4: {
    reason: 'EnvelopeRefused',
    state: 'cannot read the envelope',
    advice: 'install the shim of this version',
  },
  5: { reason: 'PhaseUnknown', state: 'does not know the phase', advice: 'install the shim of this version' },
}

const manifestAdvice = {
  PhaseMismatch: 'sign a manifest for this phase',
  DigestMismatch: 'sign a manifest for this very script',
  NotYetValid: 'check the clock of the host, or wait',
  Expired: 'check the clock of the host, or sign again',
  SerialTooLow: 'publish what was signed last, or sign again with a higher serial',
  Malformed: 'sign again with kpssh of this version',
} as const

/** Undefined where it was not the shim that ended. */
export function shimRefusal(target: SshTarget, result: RemoteResult): Unable | undefined {
  const { exitCode = -1 } = result
  if (result.reason !== 'exited' || !/^kpssh-shim: /m.test(result.stderr.slice(-longestSaid)))
    return undefined
  const refusal = exitCode === 6 ? ofManifest(result.stderr) : refusals[exitCode]
  if (refusal === undefined) return undefined
  const { reason, state, advice } = refusal
  const said = lastWords(result.stderr)
  const message = `Cannot run anything on "${target.label}": its shim ${state} (${said}), ${advice}`
  return { kind: 'unable', reason, message }
}

/** The shim never spoke: it is not there, may not be run, or something else answers in its place. */
export function noShim(target: SshTarget, shimCommand: string, result: RemoteResult): Unable {
  const { reason, message } = whyNotStarted(target.label, target.user, result)
  if (result.exitCode === 127 || result.exitCode === 126) {
    const why = `Cannot run "${shimCommand}" on "${target.label}": there is no such shim, or it may not be run`
    return { kind: 'unable', reason: 'ShimMissing', message: `${why}, install it and check the host's login` }
  }
  // The login of a Verified host may run the shim alone.
  const line = `${target.user} ALL=(root) NOPASSWD: ${shimCommand} ""`
  return { kind: 'unable', reason, message: message.replace(`${target.user} ALL=(ALL) NOPASSWD: ALL`, line) }
}

/** What is said last counts; patterns take long over a text that somebody made for them. */
const longestSaid = 4096

function ofManifest(stderr: string): Refusal {
  const [, word] = /^kpssh-shim: manifest: ([A-Za-z]{1,40}): /m.exec(stderr.slice(-longestSaid)) ?? []
  const known = (Object.keys(manifestAdvice) as (keyof typeof manifestAdvice)[]).find((name) => name === word)
  return {
    reason: known === undefined ? 'ManifestRefused' : `Manifest${known}`,
    state: 'refused the manifest',
    advice: known === undefined ? 'sign again' : manifestAdvice[known],
  }
}

function lastWords(stderr: string): string {
  const lines = stderr
    .slice(-longestSaid)
    .split('\n')
    .filter((line) => line.startsWith('kpssh-shim: '))
  return toFact((lines.at(-1) ?? '').slice('kpssh-shim: '.length).replace(/^verify: /, ''))
}
