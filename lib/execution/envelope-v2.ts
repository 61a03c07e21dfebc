// The envelope of signed runs: the run protocol of every other host, without any code. What is not signed says no more than
// which run it is, in which order, for how long. Its last line says that it is whole.
import { SpecError } from '../errors/spec-error.ts'
import { parameterLines } from './envelope-parameters.ts'
import { checkedId } from './host-request.ts'
import type { RunRequest, SignedScript } from './ports.ts'

export type SignedManifest = NonNullable<SignedScript['manifest']>

/** What shims read at most. */
const maxBytes = 1024 * 1024

type Headers = Readonly<Record<string, string | number>>

/** Throws SpecError (ParameterInvalid, EnvelopeTooLarge). */
export function startEnvelope(
  marker: string,
  request: RunRequest,
  { manifest, waitMs }: { readonly manifest: SignedManifest; readonly waitMs: number },
): Uint8Array {
  const params = parameterLines(request.environment)
  const envelope = toEnvelope('start', marker, {
    run: checkedId(request.runId),
    phase: request.phase,
    fence: request.fence,
    installation: request.installationID === undefined ? '-' : checkedId(request.installationID),
    'timeout-ms': request.timeoutMs,
    'wait-ms': waitMs,
    'manifest-b64': base64(manifest.manifest),
    'manifest-sig-b64': base64(manifest.signature),
    ...(params !== '' && { 'params-b64': base64(params) }),
    'script-b64': base64(request.script),
  })
  if (envelope.length <= maxBytes) return envelope
  throw new SpecError(
    `Cannot send ${request.phase} of "${request.profile}" to a shim: with its manifest and parameters it takes ${String(envelope.length)} bytes, at most ${String(maxBytes)} are read`,
    { reason: 'EnvelopeTooLarge' },
  )
}

export function attachEnvelope(
  marker: string,
  run: { readonly runId: string; readonly waitMs: number; readonly offset: number },
): Uint8Array {
  return toEnvelope('attach', marker, {
    run: checkedId(run.runId),
    'wait-ms': run.waitMs,
    offset: run.offset,
  })
}

/** Units whose names a shim would not read are left out: it knows nothing of them. */
export function probeEnvelope(marker: string, agentUnits: readonly string[]): Uint8Array {
  const units = agentUnits.filter((unit) => /^[A-Za-z0-9@._:-]+$/.test(unit))
  return toEnvelope('probe', marker, units.length > 0 ? { 'agent-units': units.join(' ') } : {})
}

function toEnvelope(action: string, marker: string, headers: Headers): Buffer {
  const all: Headers = { 'kpssh-envelope': 2, action, marker, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\n`)
  return Buffer.from(`${lines.join('')}end:\n`)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
