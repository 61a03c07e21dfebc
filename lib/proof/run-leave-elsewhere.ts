// Proof 4: leave where nobody expects it: never installed, the agent removed, its unit masked.
import { stateDiffers } from './compare-states.ts'
import { unitsStillOn } from './judge-state.ts'
import type { MachineState, PhaseToRun, SteppedMachine } from './ports.ts'
import type { ProofReason } from './proof-reasons.ts'
import { failureOf, type Noted, type ProofScope } from './proof-scope.ts'
import { onStage } from './run-reboots.ts'
import { withMachine, type Stage } from './stages.ts'
import { agentFiles, maskPath } from './agent-files.ts'

export async function runLeaveElsewhere(scope: ProofScope): Promise<void> {
  const { leave } = scope.subject.runs
  if (leave === undefined) return
  await leaveFresh(scope, leave)
  await leaveWithoutAgent(scope, leave)
  await leaveMasked(scope, leave)
}

/** Leaves, and finds it where leave fails or the agent is not off afterwards. */
async function leaveOff(
  scope: ProofScope,
  machine: SteppedMachine,
  {
    leave,
    reason,
    where,
    noted,
  }: {
    readonly leave: PhaseToRun
    readonly reason: ProofReason
    readonly where: string
    readonly noted: Noted
  },
): Promise<MachineState | undefined> {
  const fresh = await scope.stages.reach('fresh')
  const failed = failureOf(reason, `leave ${where}`, await machine.run(leave))
  noted.find(...failed)
  if (failed.length > 0 || fresh.kind === 'failed') return undefined
  const state = await machine.state()
  const { agentUnits } = scope.subject
  noted.find(
    ...unitsStillOn(state, { agentUnits, when: `after leave ${where}`, baseline: fresh.stage.state }),
  )
  return state
}

async function leaveFresh(scope: ProofScope, leave: PhaseToRun): Promise<void> {
  const where = 'where nothing was ever installed'
  await onStage(
    scope,
    { stage: 'fresh', title: `leave ${where}` },
    async (machine, noted, { state: wanted }) => {
      const actual = await leaveOff(scope, machine, { leave, reason: 'LeaveFailsOnFreshHost', where, noted })
      if (actual === undefined) return
      const { volatile } = scope.subject
      const message = `leave ${where} changes something`
      noted.find(...stateDiffers({ wanted, actual, volatile, reason: 'LeaveChangesOther', message }))
    },
  )
}

async function leaveWithoutAgent(scope: ProofScope, leave: PhaseToRun): Promise<void> {
  const where = 'where the agent was removed by hand'
  await onStage(scope, { stage: 'joined', title: `leave ${where}` }, async (machine, noted, stage) => {
    const files = scope.subject.agentUnits.flatMap((unit) => agentFiles(stage.state.files, unit))
    const accident = `rm -f -- ${files.map(quoted).join(' ')}`
    noted.note(`removed: ${files.join(', ')}`)
    await machine.prepare(accident)
    const actual = await leaveOff(scope, machine, { leave, reason: 'LeaveFailsWithoutAgent', where, noted })
    if (actual !== undefined) await compareWithLeft(scope, { accident, where, actual, noted })
  })
}

async function leaveMasked(scope: ProofScope, leave: PhaseToRun): Promise<void> {
  const where = 'where the agent is masked'
  await onStage(scope, { stage: 'joined', title: `leave ${where}` }, async (machine, noted) => {
    const masks = scope.subject.agentUnits.map(maskPath)
    const accident = masks.map((path) => `ln -sfn /dev/null ${quoted(path)}`).join('\n')
    await machine.prepare(`${accident}\nsystemctl daemon-reload`)
    const actual = await leaveOff(scope, machine, { leave, reason: 'LeaveFailsOnMaskedUnit', where, noted })
    if (actual === undefined) return
    const lifted = masks.filter((path) => actual.files.get(path)?.content !== '/dev/null')
    noted.find(
      ...lifted.map((path) => ({
        reason: 'MaskRemoved' as const,
        message: `leave ${where} lifts the mask ${path}`,
        lines: [],
      })),
    )
    if (lifted.length === 0) await compareWithLeft(scope, { accident, where, actual, noted })
  })
}

/** The accident before leave or after it: leave must come to the same end. */
async function compareWithLeft(
  { machines, stages, subject: { volatile } }: ProofScope,
  {
    accident,
    where,
    actual,
    noted,
  }: {
    readonly accident: string
    readonly where: string
    readonly actual: MachineState
    readonly noted: Noted
  },
): Promise<void> {
  const left = await stages.reach('left')
  if (left.kind === 'failed') return
  const wanted = await stateAfter(machines, left.stage, accident)
  const message = `leave ${where} ends otherwise than if that had happened after leave`
  noted.find(...stateDiffers({ wanted, actual, volatile, reason: 'LeaveChangesOther', message }))
}

function stateAfter(
  machines: ProofScope['machines'],
  { saved }: Stage,
  accident: string,
): Promise<MachineState> {
  return withMachine(machines, saved, async (machine) => {
    await machine.prepare(accident)
    return machine.state()
  })
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}
