// What is sent to a host's bash on stdin: one line that reads the program by its length, the program, and what the program
// reads after it. The command line stays plain words, and nothing secret is ever in it.
import type { RunRequest } from './ports.ts'
import {
  commonPart,
  launchPart,
  outputPart,
  probePart,
  processesPart,
  supervisePart,
  watchPart,
} from './host-program/source.ts'
import { quoteForShell, toRawScript } from './raw-script.ts'
import { redactionPatterns } from './redaction-patterns.ts'

/** What TERM leaves a script to end by itself before KILL. */
const graceMs = 10_000

const supervisor = `${processesPart}${supervisePart}${outputPart}supervise\n`

export function startRequest(marker: string, request: RunRequest, waitMs: number): Uint8Array {
  const script = toRawScript(request.environment, request.script)
  const redact = toRedaction(request.secrets)
  const payload = Buffer.from(script.text + redact + supervisor)
  const variables = {
    kp_id: request.runId,
    kp_phase: request.phase,
    kp_profile: request.profile.replace(/[^A-Za-z0-9@._-]/g, '_'),
    kp_fence: request.fence,
    kp_installation: request.installationID,
    kp_timeout_ms: request.timeoutMs,
    kp_grace_ms: graceMs,
    kp_script_offset: script.preambleLines,
    kp_script_length: Buffer.byteLength(script.text),
    kp_redact_length: Buffer.byteLength(redact),
    kp_supervisor_length: Buffer.byteLength(supervisor),
    kp_wait_ms: waitMs,
    kp_offset: 0,
  }
  return toStdin(marker, variables, `${processesPart}${launchPart}${watchPart}start`, payload)
}

export function attachRequest(marker: string, runId: string, waitMs: number, offset: number): Uint8Array {
  const variables = { kp_id: runId, kp_wait_ms: waitMs, kp_offset: offset }
  return toStdin(marker, variables, `${processesPart}${watchPart}attach`)
}

export function probeRequest(marker: string, agentUnits: readonly string[]): Uint8Array {
  const units = `kp_units=(${agentUnits.map(quoteForShell).join(' ')})\n`
  return toStdin(marker, { kp_id: 'none' }, `${units}${launchPart}${probePart}probe`)
}

function toStdin(
  marker: string,
  variables: Readonly<Record<string, string | number>>,
  body: string,
  payload: Uint8Array = new Uint8Array(),
): Uint8Array {
  const assignments = Object.entries({ kp_marker: marker, ...variables }).map(
    ([name, value]) => `${name}=${quoteForShell(String(value))}\n`,
  )
  const program = `${assignments.join('')}${commonPart}read_boot_id\nsay begin "$kp_boot"\n${body}\n`
  const length = String(Buffer.byteLength(program))
  const first = `kp_locale=\${LC_ALL+=$LC_ALL};LC_ALL=C;IFS= read -r -N ${length} kp_program&&eval "$kp_program";exit 1\n`
  return Buffer.concat([Buffer.from(first), Buffer.from(program), payload])
}

function toRedaction(secrets: readonly string[]): string {
  const { anywhere, words } = redactionPatterns(secrets)
  return `kp_secrets=(${anywhere.map(quoteForShell).join(' ')})\nkp_words=(${words.map(quoteForShell).join(' ')})\n`
}
