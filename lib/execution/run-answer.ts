// From what a host's program said of a run to a report.
import type { HostAnswer } from './host-answer.ts'
import type { RunOutcome, RunReport } from './ports.ts'

const endedKinds = ['timed-out', 'killed', 'lost'] as const

/** Undefined where the program said nothing that can be relied on. */
export function toRunReport(answer: HostAnswer, offset: number): RunReport | undefined {
  const { sections } = answer
  if (!answer.isComplete) return undefined
  const bootID = sections.get('begin')?.words[0] ?? 'unknown'
  if (sections.has('unknown')) return { kind: 'unknown' }
  if (sections.has('running')) return { kind: 'running', offset: offset + answer.outputBytes, bootID }
  const outcome = toOutcome(answer)
  if (outcome !== undefined) return { kind: 'finished', outcome, bootID }
  return toRefusal(sections.get('refused')?.words) ?? toUnable(sections.get('unable')?.words)
}

/** KIND CODE MILLISECONDS LINE, a dash for what does not apply. */
const outcomePattern = /^(?:exited (\d+)|(timed-out|killed|lost) -) (\d+) (\d+|-)$/

function toOutcome({ sections }: HostAnswer): RunOutcome | undefined {
  const match = outcomePattern.exec(sections.get('finished')?.words.join(' ') ?? '')
  if (match === null) return undefined
  const [, code, endedKind, duration, line] = match
  return {
    kind: endedKinds.find((kind) => kind === endedKind) ?? 'exited',
    ...(code !== undefined && { exitCode: Number(code) }),
    ...(line !== '-' && { failedLine: Number(line) }),
    ...tailsOf(sections),
    durationMs: Number(duration),
  }
}

function tailsOf(sections: HostAnswer['sections']): Pick<RunOutcome, 'stdoutTail' | 'stderrTail'> {
  return {
    stdoutTail: sections.get('stdout')?.body ?? '',
    stderrTail: sections.get('stderr')?.body ?? '',
  }
}

function toRefusal(words: readonly string[] | undefined): RunReport | undefined {
  const [reason, fact = ''] = words ?? []
  switch (reason) {
    case 'FenceStale':
      return refused(reason, `the host has seen fence ${fact}, a higher one is required`)
    case 'FenceAbsurd':
      return refused(
        reason,
        `the fence is more than ten years ahead of the host's clock (${fact}), adopt the host`,
      )
    case 'ForeignInstallation':
      return refused(reason, `the host belongs to installation "${fact}", adopt the host to take it over`)
    case 'RunInProgress':
      return refused(reason, `run "${fact}" is in progress, wait for it or attach to it`)
    case undefined:
    default:
      return undefined
  }
}

function refused(
  reason: Extract<RunReport, { kind: 'refused' }>['reason'],
  state: string,
): Extract<RunReport, { kind: 'refused' }> {
  return { kind: 'refused', reason, message: `Cannot start the run: ${state}` }
}

function toUnable(words: readonly string[] | undefined): RunReport | undefined {
  const [reason, ...facts] = words ?? []
  if (reason === undefined) return undefined
  return {
    kind: 'unable',
    reason,
    message: `Cannot start the run: ${reason} (${facts.join(' ')}), provide it on the host`,
  }
}
