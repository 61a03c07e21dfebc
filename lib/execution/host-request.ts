// What is sent to a host's bash on stdin: one line that reads the program by its length, the program, and what the program
// reads after it. The command line stays plain words, and nothing secret is ever in it.
import type { RunRequest } from './ports.ts'
import {
  adoptPart,
  commonPart,
  launchPart,
  outputPart,
  probePart,
  processesPart,
  supervisePart,
  watchPart,
} from './host-program/source.ts'
import { shellQuote } from '../profile/shell-quote.ts'
import { toRawScript } from './raw-script.ts'
import { redactionProgram } from './redaction-program.ts'

/** What TERM leaves a script to end by itself before KILL. */
const graceMs = 10_000

/** Stands for the installation where a run belongs to none. */
const nobody = '-'

const supervisor = `${processesPart}${supervisePart}${outputPart}supervise\n`

export function startRequest(marker: string, request: RunRequest, waitMs: number): Uint8Array {
  const script = toRawScript(request.environment, request.script)
  const redact = redactionProgram(request.secrets)
  const payload = Buffer.from(script.text + redact + supervisor)
  const variables = {
    kp_id: checkedId(request.runId),
    kp_phase: request.phase,
    kp_profile: request.profile.replace(/[^A-Za-z0-9@._-]/g, '_'),
    kp_fence: request.fence,
    kp_installation: request.installationID === undefined ? nobody : checkedId(request.installationID),
    kp_timeout_ms: request.timeoutMs,
    kp_grace_ms: graceMs,
    kp_script_offset: script.preambleLines,
    kp_script_length: Buffer.byteLength(script.text),
    kp_redact_length: Buffer.byteLength(redact),
    kp_supervisor_length: Buffer.byteLength(supervisor),
    kp_wait_ms: waitMs,
    kp_offset: 0,
  }
  return toStdin(marker, { variables, body: `${processesPart}${launchPart}${watchPart}start`, payload })
}

export function attachRequest(
  marker: string,
  run: { runId: string; waitMs: number; offset: number },
): Uint8Array {
  const variables = { kp_id: checkedId(run.runId), kp_wait_ms: run.waitMs, kp_offset: run.offset }
  return toStdin(marker, { variables, body: `${processesPart}${watchPart}attach` })
}

export function probeRequest(marker: string, agentUnits: readonly string[]): Uint8Array {
  const units = `kp_units=(${agentUnits.map(shellQuote).join(' ')})\n`
  return toStdin(marker, { variables: { kp_id: 'none' }, body: `${units}${launchPart}${probePart}probe` })
}

export function adoptRequest(
  marker: string,
  owner: { adoptionId: string; installationID: string; fence: number },
): Uint8Array {
  const variables = {
    kp_id: checkedId(owner.adoptionId),
    kp_installation: checkedId(owner.installationID),
    kp_fence: owner.fence,
  }
  return toStdin(marker, { variables, body: `${launchPart}${adoptPart}adopt` })
}

interface Program {
  readonly variables: Readonly<Record<string, string | number>>
  readonly body: string
  /** What the program reads from stdin behind itself. */
  readonly payload?: Uint8Array
}

function toStdin(marker: string, { variables, body, payload = new Uint8Array() }: Program): Uint8Array {
  const all: Program['variables'] = { kp_marker: marker, ...variables }
  const assignments = Object.entries(all).map(([name, value]) => `${name}=${shellQuote(String(value))}\n`)
  const program = Buffer.from(
    `${assignments.join('')}${commonPart}read_boot_id\nsay begin "$kp_boot"\n${body}\n`,
  )
  // What remains of stdin is the program's: should it not get there, bash must not take it for commands.
  const reading = `IFS= read -r -N ${program.length} kp_program&&eval "$kp_program"`
  const first = Buffer.from(`kp_locale=\${LC_ALL+=$LC_ALL};LC_ALL=C;${reading};exit 1\n`)
  return Buffer.concat([first, program, payload])
}

/** Ids name files on the host. Ours are well-formed; one that is not never leaves this process. */
export function checkedId(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) return id
  throw new TypeError(
    `Cannot address run or installation "${id}": malformed, it must be letters, digits, dots and dashes`,
  )
}
