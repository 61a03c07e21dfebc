// From what a host's program said of a run to a report.
import type { HostAnswer } from './host-answer.ts'
import { idPattern, toFact } from './host-words.ts'
import type { AdoptReport, RunOutcome, RunReport } from './ports.ts'

const endedKinds = ['timed-out', 'killed', 'lost'] as const

/** Undefined where the program said nothing that can be relied on. */
export function toRunReport(answer: HostAnswer, offset: number): RunReport | undefined {
  const { sections } = answer
  if (!answer.isComplete) return undefined
  const bootID = toBootID(sections.get('begin')?.words[0])
  if (sections.has('unknown')) return { kind: 'unknown' }
  if (sections.has('running')) return { kind: 'running', offset: offset + answer.outputBytes, bootID }
  const outcome = toOutcome(answer)
  if (outcome !== undefined) return { kind: 'finished', outcome, bootID }
  return toRefusal(sections.get('refused')?.words) ?? toUnable(sections.get('unable')?.words)
}

/** Undefined where the program said nothing that can be relied on. */
export function toAdoptReport({ sections, isComplete }: HostAnswer): AdoptReport | undefined {
  if (!isComplete) return undefined
  const adopted = sections.get('adopted')
  if (adopted === undefined) {
    return toRefusal(sections.get('refused')?.words) ?? toUnable(sections.get('unable')?.words)
  }
  const [before = ''] = adopted.words
  return { kind: 'adopted', ...(idPattern.test(before) && { before }) }
}

function toBootID(word: string | undefined): string {
  return word !== undefined && idPattern.test(word) ? word : 'unknown'
}

/** KIND CODE MILLISECONDS LINE, a dash for what does not apply. Larger numbers than any run can have make no sense. */
const outcomePattern = /^(?:exited (\d{1,3})|(timed-out|killed|lost) -) (\d{1,12}) (\d{1,9}|-)$/

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

type Refused = Extract<RunReport, { kind: 'refused' }>

function toRefusal(words: readonly string[] | undefined): Refused | undefined {
  const [reason, word = ''] = words ?? []
  const fact = toFact(word)
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

function refused(reason: Refused['reason'], state: string): Refused {
  return { kind: 'refused', reason, message: `Cannot start the run: ${state}` }
}

/** What the host's program can find missing; it says nothing else, and whoever does is not believed. */
export const unableReasons = [
  'BashTooOld',
  'NotRoot',
  'MissingPrerequisite',
  'RequestCutShort',
  'StateNotWritable',
] as const

function toUnable(words: readonly string[] | undefined): Extract<RunReport, { kind: 'unable' }> | undefined {
  const [word, ...facts] = words ?? []
  const reason = unableReasons.find((known) => known === word)
  if (reason === undefined) return undefined
  const message = `Cannot start the run: ${reason} (${toFact(facts.join(' '))}), provide it on the host`
  return { kind: 'unable', reason, message }
}
