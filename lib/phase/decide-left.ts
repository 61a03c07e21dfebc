// Whether a host has left: decided by what its agent does, not by an exit code alone. A leave may be reported as failed that
// worked (it cut its own connection), and one may exit 0 while the agent is still there.
import type { ProbeReport, RunReport } from '../execution/ports.ts'
import { isAgentAlive } from '../hosts/probe-rules.ts'
import type { Contact } from './contact.ts'
import { isOverdue, quarantine, type Cause, type RunSituation, type RunStep } from './decide-report.ts'

export type AgentReport = ProbeReport | Extract<RunReport, { kind: 'unable' }>

export function decideLeft(
  contact: Contact<AgentReport>,
  because: Cause | undefined,
  situation: RunSituation,
): RunStep {
  switch (contact.kind) {
    case 'reported':
      return contact.report.kind === 'probed'
        ? ofAgent(contact.report.agent, because)
        : unproven(contact.report, situation)
    case 'unreachable':
    case 'unusable':
      return unproven(contact, situation)
    case 'other-key':
      return quarantine(contact, situation)
  }
}

function ofAgent(agent: ProbeReport['agent'], because: Cause | undefined): RunStep {
  if (!isAgentAlive(agent)) return { kind: 'finish', result: { kind: 'succeeded' } }
  const cause = because ?? {
    reason: 'AgentStillActive',
    message: `leave exited with code 0, but the agent is ${agent}: it must be stopped and disabled`,
  }
  return { kind: 'finish', result: { kind: 'failed', ...cause } }
}

function unproven({ reason, message }: Cause, situation: RunSituation): RunStep {
  if (!isOverdue(situation)) return { kind: 'attach-later', reason, message }
  return { kind: 'finish', result: { kind: 'indeterminate', reason, message } }
}
