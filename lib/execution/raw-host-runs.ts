// Raw mode: phases as runs that a host carries out by itself. One connection and one channel for each contact; the remote
// command is plain words, and everything else is on stdin. See host-program/ for what the host does with it.
import type { Clock, Random } from '../ambient/ports.ts'
import { type AnswerReader, type HostAnswer, makeAnswerReader, type OutputListener } from './host-answer.ts'
import { adoptRequest, attachRequest, probeRequest, startRequest } from './host-request.ts'
import { whyNotStarted } from './not-started.ts'
import type {
  HostAdoption,
  HostRuns,
  RemoteResult,
  RemoteShell,
  Reported,
  RunReport,
  SshBudgets,
  SshTarget,
} from './ports.ts'
import { toProbeReport, unreadable } from './probe-answer.ts'
import { toAdoptReport, toRunReport } from './run-answer.ts'

export interface RawHostRunsOptions {
  readonly shell: RemoteShell
  readonly clock: Clock
  readonly random: Random
  readonly budgets?: Omit<SshBudgets, 'commandMs'>
}

const defaultBudgets = { connectMs: 15_000, handshakeMs: 20_000, authMs: 20_000 }
/** What a contact may take beyond the time it waits for the run. */
const overheadMs = 20_000
/** The answer is read as it comes; this is kept to tell what a login said instead of one. */
const maxOutputBytes = 64 * 1024
/** Both streams as they are followed live, the tails of both, and many times the noise of a login. */
const maxReceivedBytes = 16 * 1024 * 1024

interface Contact {
  readonly result: RemoteResult
  readonly answer: HostAnswer
  /** When the host said its last word. */
  readonly answeredAtMs: number
}

interface Ask {
  readonly marker: string
  readonly stdin: Uint8Array
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
  readonly onOutput?: OutputListener | undefined
}

export function makeRawHostRuns(options: RawHostRunsOptions): HostRuns & HostAdoption {
  const ask = (target: SshTarget, question: Ask) => contact(options, target, question)
  const marker = () => newMarker(options.random)
  return {
    async start(target, request, watch) {
      const mark = marker()
      const stdin = startRequest(mark, request, watch.waitMs)
      const found = await ask(target, { ...watch, marker: mark, stdin })
      return reportOf(target, found, 0)
    },
    async attach(target, run, watch) {
      const mark = marker()
      const offset = watch.offset ?? 0
      const stdin = attachRequest(mark, { runId: run.runId, waitMs: watch.waitMs, offset })
      const found = await ask(target, { ...watch, marker: mark, stdin })
      return reportOf(target, found, offset)
    },
    async probe(target, { agentUnits, signal }) {
      const mark = marker()
      const found = await ask(target, {
        marker: mark,
        stdin: probeRequest(mark, agentUnits),
        waitMs: 0,
        signal,
      })
      const { hostKeys } = found.result
      const facts = found.answer.sections.get('facts')
      if (found.answer.isComplete && facts !== undefined) {
        return { report: toProbeReport(target.label, facts.body, found.answeredAtMs), hostKeys }
      }
      const report = reportOf(target, found, 0).report
      if (report.kind === 'unable') return { report, hostKeys }
      throw unreadable(target.label, 'everything')
    },
    async adopt(target, owner) {
      const mark = marker()
      const stdin = adoptRequest(mark, { ...owner, adoptionId: marker() })
      const found = await ask(target, { marker: mark, stdin, waitMs: 0 })
      const report = toAdoptReport(found.answer) ?? unanswered(target, found)
      return { report, hostKeys: found.result.hostKeys }
    },
  }
}

async function contact(options: RawHostRunsOptions, target: SshTarget, question: Ask): Promise<Contact> {
  const reader: AnswerReader = makeAnswerReader(question.marker, question.onOutput)
  let answeredAtMs = options.clock.nowMs()
  const result = await options.shell.run(target, {
    command: target.user === 'root' ? 'bash -s' : 'sudo -n bash -s',
    stdin: question.stdin,
    maxOutputBytes,
    maxReceivedBytes,
    budgets: { ...(options.budgets ?? defaultBudgets), commandMs: question.waitMs + overheadMs },
    ...(question.signal && { signal: question.signal }),
    onOutput(stream, chunk) {
      if (stream === 'stderr') return
      answeredAtMs = options.clock.nowMs()
      reader.push(chunk)
    },
  })
  return { result, answer: reader.answer(), answeredAtMs }
}

function reportOf(target: SshTarget, found: Contact, offset: number): Reported<RunReport> {
  const { answer, result } = found
  const report = toRunReport(answer, offset) ?? unanswered(target, found)
  return { report, hostKeys: result.hostKeys }
}

function unanswered(
  target: SshTarget,
  { result, answer }: Contact,
): Extract<RunReport, { kind: 'unable' | 'indeterminate' }> {
  if (result.reason === 'exited' && answer.sections.size === 0) {
    return whyNotStarted(target.label, target.user, result)
  }
  const state = answer.sections.has('started') ? 'after it was started' : 'before it answered'
  const message = `Cannot follow the run on "${target.label}": contact ended (${result.reason}) ${state}, attach to it again`
  return { kind: 'indeterminate', message }
}

function newMarker(random: Random): string {
  const parts = Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  )
  return `kpssh-${parts.join('')}`
}
