// The turns of the cycle, and what must be true after each of them.
import type { ScriptPhase } from '../profile/script-phase.ts'
import { changesBetween } from './changes.ts'
import { changesFound, stateDiffers } from './compare-states.ts'
import { remains, unitsNotOn, unitsStillOn } from './judge-state.ts'
import type { MachineState } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'
import type { ProofSubject } from './proof-scope.ts'

/** Two states of which proof.txt tells the difference. */
export interface Compared {
  readonly title: string
  readonly before: MachineState
  readonly after: MachineState
}

export interface Judged {
  readonly findings: readonly ProofFinding[]
  readonly compared: readonly Compared[]
}

export interface Turn {
  readonly phase: ScriptPhase
  readonly title: string
  /** `states` are those that the turns before have led to, the fresh machine's first. */
  readonly judge: (subject: ProofSubject, states: readonly MachineState[], after: MachineState) => Judged
}

export const leftByLeave = 'what a membership leaves behind'

export const turns: readonly Turn[] = [
  { phase: 'install', title: 'install', judge: judgeInstall },
  { phase: 'join', title: 'join', judge: judgeJoin },
  { phase: 'leave', title: 'leave', judge: judgeLeave },
  { phase: 'join', title: 'join again', judge: judgeSecondJoin },
  { phase: 'leave', title: 'leave again', judge: judgeSecondLeave },
  { phase: 'uninstall', title: 'uninstall', judge: judgeUninstall },
]

const [fresh, installed, joined, left, leftAgain] = [0, 1, 2, 3, 5]

function judgeInstall(subject: ProofSubject, states: readonly MachineState[], after: MachineState): Judged {
  const before = stateAt(states, fresh)
  return {
    findings: unitsOff(subject, states, { after, when: 'after install' }),
    compared: [{ title: 'install', before, after }],
  }
}

function judgeJoin(
  { agentUnits }: ProofSubject,
  states: readonly MachineState[],
  after: MachineState,
): Judged {
  return {
    findings: unitsNotOn(after, { agentUnits, when: 'after join' }),
    compared: [{ title: 'join', before: stateAt(states, installed), after }],
  }
}

function judgeLeave(subject: ProofSubject, states: readonly MachineState[], after: MachineState): Judged {
  const before = stateAt(states, installed)
  return {
    findings: [
      ...unitsOff(subject, states, { after, when: 'after leave' }),
      ...remains(before, after, subject.settings),
    ],
    compared: [
      { title: 'leave', before: stateAt(states, joined), after },
      { title: leftByLeave, before, after },
    ],
  }
}

function judgeSecondJoin(
  subject: ProofSubject,
  states: readonly MachineState[],
  after: MachineState,
): Judged {
  const { agentUnits } = subject
  return {
    findings: [
      ...unitsNotOn(after, { agentUnits, when: 'after the second join' }),
      ...endsAsBefore(subject, 'join', { wanted: stateAt(states, joined), actual: after }),
    ],
    compared: [],
  }
}

function judgeSecondLeave(
  subject: ProofSubject,
  states: readonly MachineState[],
  after: MachineState,
): Judged {
  return {
    findings: [
      ...unitsOff(subject, states, { after, when: 'after the second leave' }),
      ...endsAsBefore(subject, 'leave', { wanted: stateAt(states, left), actual: after }),
    ],
    compared: [],
  }
}

function judgeUninstall(subject: ProofSubject, states: readonly MachineState[], after: MachineState): Judged {
  const before = stateAt(states, fresh)
  const changes = changesBetween(before, after, subject.volatile).filter(({ name }) => !isKept(subject, name))
  return {
    findings: [
      ...unitsOff(subject, states, { after, when: 'after uninstall' }),
      ...changesFound(changes, {
        reason: 'UninstallLeavesBehind',
        message: 'after uninstall the machine is not as it was before install',
      }),
    ],
    compared: [
      { title: 'uninstall', before: stateAt(states, leftAgain), after },
      { title: 'what uninstall leaves behind', before, after },
    ],
  }
}

function stateAt(states: readonly MachineState[], index: number | undefined): MachineState {
  const state = states[index ?? 0]
  if (state === undefined) throw new RangeError('A turn is judged before the turns that it follows')
  return state
}

function unitsOff(
  { agentUnits }: ProofSubject,
  states: readonly MachineState[],
  { after, when }: { readonly after: MachineState; readonly when: string },
): readonly ProofFinding[] {
  return unitsStillOn(after, { agentUnits, when, baseline: stateAt(states, fresh) })
}

function endsAsBefore(
  { volatile }: ProofSubject,
  phase: ScriptPhase,
  states: { readonly wanted: MachineState; readonly actual: MachineState },
): readonly ProofFinding[] {
  const message = `the second ${phase} ends otherwise than the first`
  return stateDiffers({ ...states, volatile, reason: 'NotRepeatable', message })
}

/** What the system keeps of packages, and where it keeps namespaces: nobody's to remove. */
const systemRecords = ['/var/lib/apt/', '/var/lib/dpkg/', '/var/lib/rpm/', '/var/lib/dnf/', '/var/cache/dnf/']
const systemFolders = [...systemRecords.map((path) => path.slice(0, -1)), '/run/netns']

function isKept({ settings: { uninstallKeeps } }: ProofSubject, name: string): boolean {
  const folders = [...systemRecords, ...uninstallKeeps.map((path) => `${path.replace(/\/$/, '')}/`)]
  return [...systemFolders, ...uninstallKeeps].includes(name) || folders.some((path) => name.startsWith(path))
}
