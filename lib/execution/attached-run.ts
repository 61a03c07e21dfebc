// A run of a shim that reads envelope 1 alone: it lasts as long as its connection, and the host keeps nothing of it. What the
// script prints comes as it is, and is redacted here before anybody sees it.
import { makeRedactor } from '../profile/redactor.ts'
import { redactionForms } from '../profile/redaction-forms.ts'
import { runEnvelopeV1 } from './envelope-v1.ts'
import {
  defaultBudgets,
  maxReceivedBytes,
  maxOutputBytes,
  overheadMs,
  type ContactOptions,
} from './host-contact.ts'
import type { RemoteResult, Reported, RunOutcome, RunReport, RunRequest, SshTarget, Watch } from './ports.ts'
import { noShim, shimRefusal } from './shim-refusal.ts'

/** A boot id that is not known. */
const unknownBoot = 'unknown'

export async function runAttached(
  options: ContactOptions,
  target: SshTarget & { readonly verified: { readonly shimCommand: string } },
  { request, signature, watch }: { request: RunRequest; signature: string; watch: Watch },
): Promise<Reported<RunReport>> {
  const limitMs = Math.min(request.timeoutMs, watch.attachedMs ?? watch.waitMs)
  const kept = { stdout: followed(request, watch, 'stdout'), stderr: followed(request, watch, 'stderr') }
  const result = await options.shell.run(target, {
    command: target.verified.shimCommand,
    stdin: runEnvelopeV1({ ...request, parameters: request.environment, signature }),
    maxOutputBytes,
    maxReceivedBytes,
    budgets: { ...(options.budgets ?? defaultBudgets), commandMs: limitMs + overheadMs },
    ...(watch.signal && { signal: watch.signal }),
    onOutput: (stream, chunk) => kept[stream].push(chunk),
  })
  const tails = { stdoutTail: kept.stdout.tail(), stderrTail: kept.stderr.tail() }
  const report = reportOf(target, result, { tails, limitMs, timeoutMs: request.timeoutMs })
  return { report, hostKeys: result.hostKeys }
}

/** Nobody can say what became of a run whose connection was lost: its host keeps no outcome, and cannot be asked. */
export function lostRun(): RunReport {
  const stderrTail =
    'kpssh: contact was lost during the run, and a shim that reads only envelope 1 keeps no outcome; install the shim of this version\n'
  return {
    kind: 'finished',
    bootID: unknownBoot,
    outcome: { kind: 'lost', stdoutTail: '', stderrTail, durationMs: 0 },
  }
}

interface End {
  readonly tails: Pick<RunOutcome, 'stdoutTail' | 'stderrTail'>
  readonly limitMs: number
  readonly timeoutMs: number
}

/** The shim's last word; a script may have printed the same before. */
const scriptExited = /(?<=^|\n)kpssh-shim: script exited ([1-9]\d{0,2})\n?$/

function reportOf(
  target: SshTarget & { readonly verified: { readonly shimCommand: string } },
  result: RemoteResult,
  { tails, limitMs, timeoutMs }: End,
): RunReport {
  const { reason, exitCode, durationMs } = result
  if (reason === 'timed-out') {
    const stderrTail = `${tails.stderrTail}${limitText(limitMs, timeoutMs)}`
    return finished({ kind: 'timed-out', ...tails, stderrTail, durationMs })
  }
  if (reason !== 'exited') {
    const message = `Cannot follow the run on "${target.label}": contact ended (${reason}), and its shim keeps no outcome`
    return { kind: 'indeterminate', message }
  }
  if (exitCode === 0) return finished({ kind: 'exited', exitCode, ...tails, durationMs })
  if (exitCode !== 10)
    return shimRefusal(target, result) ?? noShim(target, target.verified.shimCommand, result)
  const [, code = String(exitCode)] = scriptExited.exec(tails.stderrTail) ?? []
  const stderrTail = tails.stderrTail.replace(scriptExited, '')
  return finished({ kind: 'exited', exitCode: Number(code), ...tails, stderrTail, durationMs })
}

function limitText(limitMs: number, timeoutMs: number): string {
  const seconds = (ms: number) => String(Math.floor(ms / 1000))
  return limitMs < timeoutMs
    ? `kpssh: the shim reads only envelope 1, so a run lasts no longer than a contact: ${seconds(limitMs)} s of the ${seconds(timeoutMs)} s that the profile gives; install the shim of this version\n`
    : `kpssh: the script was still running after ${seconds(timeoutMs)} s and was left alone; a shim that reads only envelope 1 cannot end it\n`
}

function finished(outcome: RunOutcome): RunReport {
  return { kind: 'finished', bootID: unknownBoot, outcome }
}

const tailBytes = 64 * 1024

/** Redacts a stream as it comes, passes it on, and keeps its end. */
function followed({ secrets }: RunRequest, { onOutput }: Watch, stream: 'stdout' | 'stderr') {
  const redactor = makeRedactor(redactionForms(secrets))
  let kept = Buffer.alloc(0)
  const show = (shown: Uint8Array) => {
    if (shown.length === 0) return
    kept = Buffer.concat([kept, shown]).subarray(-tailBytes)
    onOutput?.(stream, shown)
  }
  return {
    push: (chunk: Uint8Array) => show(redactor.push(chunk)),
    /** When nothing follows. The last whole lines, where there is more than fits. */
    tail(): string {
      show(redactor.flush())
      const text = kept.toString('utf8')
      return kept.length < tailBytes ? text : text.slice(text.indexOf('\n') + 1)
    },
  }
}
