// Raw mode: phases as runs that a host carries out by itself. One connection and one channel for each contact; the remote
// command is plain words, and everything else is on stdin. See host-program/ for what the host does with it.
import type { Clock, Random } from '../ambient/ports.ts'
import { contactHost, lostContact, type Ask, type Contact } from './host-contact.ts'
import { adoptRequest, attachRequest, probeRequest, startRequest } from './host-request.ts'
import { newMarker } from './marker.ts'
import { whyNotStarted } from './not-started.ts'
import type {
  HostAdoption,
  HostRuns,
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

export function makeRawHostRuns(options: RawHostRunsOptions): HostRuns & HostAdoption {
  const ask = (target: SshTarget, question: Omit<Ask, 'command'>) =>
    contactHost(options, target, {
      ...question,
      command: target.user === 'root' ? 'bash -s' : 'sudo -n bash -s',
    })
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

function reportOf(target: SshTarget, found: Contact, offset: number): Reported<RunReport> {
  const { answer, result } = found
  const report = toRunReport(answer, offset) ?? unanswered(target, found)
  return { report, hostKeys: result.hostKeys }
}

function unanswered(
  target: SshTarget,
  found: Contact,
): Extract<RunReport, { kind: 'unable' | 'indeterminate' }> {
  const { result, answer } = found
  return result.reason === 'exited' && answer.sections.size === 0
    ? whyNotStarted(target.label, target.user, result)
    : lostContact(target.label, found)
}
