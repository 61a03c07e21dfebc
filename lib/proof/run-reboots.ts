// Proof 3: what a reboot brings back, and what it must not.
import { stateDiffers } from './compare-states.ts'
import { unitsNotOn, unitsStillOn } from './judge-state.ts'
import type { SteppedMachine } from './ports.ts'
import { failureOf, type Noted, type ProofScope } from './proof-scope.ts'
import { withMachine, type Stage, type StageName } from './stages.ts'

export async function runReboots(scope: ProofScope): Promise<void> {
  await onStage(scope, { stage: 'installed', title: 'install, reboot' }, (machine, noted) =>
    rebootStaysOut(scope, machine, { when: 'when a host that was only installed reboots', noted }),
  )
  await onStage(scope, { stage: 'left', title: 'leave, reboot, join' }, async (machine, noted) => {
    await rebootStaysOut(scope, machine, { when: 'when a host that has left reboots', noted })
    await joinAlone(scope, machine, noted)
  })
  await onStage(scope, { stage: 'joined', title: 'join, reboot' }, async (machine, noted) => {
    await machine.reboot()
    const { agentUnits } = scope.subject
    const when = 'after a member has rebooted'
    noted.find(...unitsNotOn(await machine.state(), { agentUnits, when, reason: 'MemberStaysDown' }))
  })
}

/** A step that starts where a stage is; where the stage cannot be reached, that is what it finds. */
export async function onStage(
  { machines, stages, step }: ProofScope,
  { stage: name, title }: { readonly stage: StageName; readonly title: string },
  work: (machine: SteppedMachine, noted: Noted, stage: Stage) => Promise<void>,
): Promise<void> {
  await step(title, async (noted) => {
    const reached = await stages.reach(name)
    if (reached.kind === 'failed') noted.find(...reached.findings)
    else await withMachine(machines, reached.stage.saved, (machine) => work(machine, noted, reached.stage))
  })
}

async function rebootStaysOut(
  { stages, subject: { agentUnits } }: ProofScope,
  machine: SteppedMachine,
  { when, noted }: { readonly when: string; readonly noted: Noted },
): Promise<void> {
  const fresh = await stages.reach('fresh')
  await machine.reboot()
  if (fresh.kind === 'failed') return
  const baseline = fresh.stage.state
  noted.find(
    ...unitsStillOn(await machine.state(), { agentUnits, when, baseline, reason: 'ComesBackAfterReboot' }),
  )
}

async function joinAlone(
  { stages, subject }: ProofScope,
  machine: SteppedMachine,
  noted: Noted,
): Promise<void> {
  const joined = await stages.reach('joined')
  const join = subject.runs.join
  if (joined.kind === 'failed' || join === undefined) return
  const failed = failureOf('JoinAloneFails', 'join after leave and a reboot', await machine.run(join))
  noted.find(...failed)
  if (failed.length > 0) return
  const actual = await machine.state()
  const { agentUnits, volatile } = subject
  const when = 'after leave, a reboot and join'
  noted.find(...unitsNotOn(actual, { agentUnits, when, reason: 'JoinAloneFails' }))
  noted.find(
    ...stateDiffers({
      ...{ wanted: joined.stage.state, actual, reason: 'JoinAloneFails' },
      // What lies there, a reboot has emptied.
      volatile: (path) => (/^\/(?:run|tmp)\//.test(path) ? 'all' : volatile(path)),
      message: 'join after leave and a reboot ends otherwise than the first join',
    }),
  )
}
