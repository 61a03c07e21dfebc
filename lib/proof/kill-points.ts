// Where a phase is worth being killed.
import type { Random } from '../ambient/ports.ts'
import type { PhaseEnd, PhaseToRun, Step, SteppedMachine } from './ports.ts'

export interface Survey {
  readonly end: PhaseEnd
  /** In the order of the run. */
  readonly points: readonly Step[]
  readonly steps: number
}

/**
 * Runs a phase to its end and notes each step before which the machine is in a state that it was not in before. What a phase
 * does is a function of the machine's state, the script and its environment, and the latter two are the same for every run:
 * killed at two steps with the same state between them, it is the same machine that the next run finds. So the points are
 * all points.
 */
export async function surveyPhase(machine: SteppedMachine, run: PhaseToRun): Promise<Survey> {
  const points: Step[] = []
  const seen = new Set<string>()
  let steps = 0
  const end = await machine.runStepped(run, async (step) => {
    steps += 1
    const fingerprint = await machine.fingerprint()
    if (!seen.has(fingerprint)) points.push(step)
    seen.add(fingerprint)
    return 'go on'
  })
  return { end, points, steps }
}

/** Some of them, in their order. */
export function samplePoints<T>(points: readonly T[], count: number, random: Random): readonly T[] {
  const left = points.map((_, index) => index)
  const chosen: number[] = []
  while (chosen.length < count && left.length > 0) {
    chosen.push(...left.splice(random.below(left.length), 1))
  }
  return chosen.sort((a, b) => a - b).flatMap((index) => points.slice(index, index + 1))
}

/** Where it was killed; undefined where the run came to its end before: subshells side by side take turns as they like. */
export async function runKilled(
  machine: SteppedMachine,
  run: PhaseToRun,
  { index }: Step,
): Promise<Step | undefined> {
  let killed: Step | undefined
  await machine.runStepped(run, (step) => {
    if (step.index < index) return Promise.resolve('go on')
    killed ??= step
    return Promise.resolve('kill')
  })
  return killed
}

export function stepText({ index, line, command }: Step): string {
  const where = line === 0 ? 'inside of a program' : `line ${line}`
  const shown = command.length > 80 ? `${command.slice(0, 79)}…` : command
  return `step ${index}, ${where}, before: ${shown}`
}
