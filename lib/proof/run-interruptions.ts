// Proof 2: every phase is killed and run again, and a join that was killed is left.
import { mapBounded } from '../ambient/map-bounded.ts'
import { scriptPhases, type ScriptPhase } from '../profile/script-phase.ts'
import { changesBetween, type Change } from './changes.ts'
import { changesFound, stateDiffers } from './compare-states.ts'
import { remains, unitsStillOn } from './judge-state.ts'
import { runKilled, samplePoints, stepText, surveyPhase, type Survey } from './kill-points.ts'
import type { MachineState, PhaseToRun, Step } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'
import { failureOf, type Noted, type ProofScope } from './proof-scope.ts'
import { stageAfter, stageBefore, withMachine, type Stage } from './stages.ts'

export async function runInterruptions(scope: ProofScope): Promise<void> {
  for (const phase of scriptPhases) {
    const run = scope.subject.runs[phase]
    if (run !== undefined) await interruptPhase(scope, phase, run)
  }
}

/** One phase between the states that it leads from and to. */
interface Passage {
  readonly phase: ScriptPhase
  readonly run: PhaseToRun
  readonly before: Stage
  readonly after: Stage
}

async function interruptPhase(scope: ProofScope, phase: ScriptPhase, run: PhaseToRun): Promise<void> {
  const after = await scope.stages.reach(stageAfter[phase])
  const before = await scope.stages.reach(stageBefore[phase])
  if (before.kind === 'failed' || after.kind === 'failed') {
    await scope.step(`${phase}, interrupted`, (noted) => {
      noted.find(...(after.kind === 'failed' ? after.findings : []))
      return Promise.resolve()
    })
    return
  }
  const passage = { phase, run, before: before.stage, after: after.stage }
  let points: readonly Step[] = []
  await scope.step(`${phase}: where it can be interrupted`, async (noted) => {
    const survey = await withMachine(scope.machines, passage.before.saved, (machine) =>
      surveyPhase(machine, run),
    )
    points = choosePoints(scope, survey, noted)
    noted.find(...failureOf('PhaseFails', `${phase}, step by step,`, survey.end))
  })
  await scope.step(`${phase}: killed at ${points.length} points and run again`, (noted) =>
    tryPoints(scope, { points, noted }, (point) => runAgain(scope, passage, point)),
  )
  if (phase === 'join') await leaveHalfJoins(scope, passage, points)
}

function choosePoints({ effort, random }: ProofScope, { points, steps }: Survey, noted: Noted) {
  const { interruptions } = effort
  const chosen = interruptions === 'all' ? points : samplePoints(points, interruptions, random)
  noted.note(
    `${steps} steps, before ${points.length} of them the machine is another; ${chosen.length} are tried`,
  )
  return chosen
}

type Tried = readonly ProofFinding[] | 'not reached'

async function tryPoints(
  { effort }: ProofScope,
  { points, noted }: { readonly points: readonly Step[]; readonly noted: Noted },
  tryPoint: (point: Step) => Promise<Tried>,
): Promise<void> {
  const tried = await mapBounded(points, effort.machines, tryPoint)
  noted.find(...tried.flatMap((each) => (each === 'not reached' ? [] : each)))
  const missed = tried.filter((each) => each === 'not reached').length
  if (missed > 0) noted.note(`${missed} points were not reached a second time`)
}

async function runAgain({ machines, subject }: ProofScope, passage: Passage, point: Step): Promise<Tried> {
  const { phase, run, before, after } = passage
  return withMachine(machines, before.saved, async (machine) => {
    const killed = await runKilled(machine, run, point)
    if (killed === undefined) return 'not reached'
    const what = `${phase}, killed at ${stepText(killed)}, and run again`
    const failed = failureOf('FailsAfterInterruption', `${what},`, await machine.run(run))
    if (failed.length > 0) return failed
    return stateDiffers({
      ...{ wanted: after.state, actual: await machine.state() },
      ...{ volatile: subject.volatile, reason: 'NotIdempotent' },
      message: `${what}, ends otherwise than a run that nobody killed`,
    })
  })
}

async function leaveHalfJoins(scope: ProofScope, join: Passage, points: readonly Step[]): Promise<void> {
  const left = await scope.stages.reach('left')
  const leave = scope.subject.runs.leave
  if (left.kind === 'failed' || leave === undefined) return
  await scope.step(`leave after a join that was killed at ${points.length} points`, (noted) =>
    tryPoints(scope, { points, noted }, (point) =>
      leaveHalfJoin(scope, { join, leave, left: left.stage }, point),
    ),
  )
}

interface HalfJoin {
  readonly join: Passage
  readonly leave: PhaseToRun
  readonly left: Stage
}

async function leaveHalfJoin(
  { machines, subject }: ProofScope,
  { join, leave, left }: HalfJoin,
  point: Step,
): Promise<Tried> {
  return withMachine(machines, join.before.saved, async (machine) => {
    const killed = await runKilled(machine, join.run, point)
    if (killed === undefined) return 'not reached'
    const when = `after a join that was killed at ${stepText(killed)}`
    const failed = failureOf('HalfJoinNotLeft', `leave ${when}`, await machine.run(leave))
    if (failed.length > 0) return failed
    const state = await machine.state()
    const { agentUnits, volatile, settings } = subject
    const baseline = join.before.state
    return [
      ...unitsStillOn(state, {
        agentUnits,
        when: `after leave ${when}`,
        baseline,
        reason: 'HalfJoinNotLeft',
      }),
      ...remains(baseline, state, settings),
      ...changesFound(strangeChanges({ baseline, left: left.state, state }, volatile), {
        reason: 'HalfJoinNotLeft',
        message: `leave ${when}, ends neither as before join nor as after a whole one`,
      }),
    ]
  })
}

/**
 * A warm profile keeps things from its first join on, a certificate or a registration, and a join that was killed may have
 * come so far or not. So each thing must be as it is after a whole join and leave, or as it was before join.
 */
export function strangeChanges(
  states: { readonly baseline: MachineState; readonly left: MachineState; readonly state: MachineState },
  volatile: ProofScope['subject']['volatile'],
): readonly Change[] {
  const asBefore = new Set(changesBetween(states.baseline, states.state, volatile).map(keyOf))
  return changesBetween(states.left, states.state, volatile).filter((change) => asBefore.has(keyOf(change)))
}

function keyOf({ kind, name }: Change): string {
  const thing = ['unit', 'mount', 'device', 'containers'].includes(kind) ? kind : 'file'
  return `${thing} ${name}`
}
