// Proof 1: a machine goes through the whole cycle, twice in its middle, and ends where it should.
import { changesBetween, renderChanges } from './changes.ts'
import { shortened } from './compare-states.ts'
import { shortDiff } from './diff-lines.ts'
import { parseGolden } from './golden.ts'
import type { MachineState, SteppedMachine } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'
import { failureOf, type ProofScope, type Noted } from './proof-scope.ts'
import { withMachine } from './stages.ts'
import { leftByLeave, turns, type Compared, type Turn } from './turns.ts'

/** Resolves with what each phase changed, for proof.txt; undefined where the cycle did not come to its end. */
export async function runCycle(scope: ProofScope): Promise<ReadonlyMap<string, string> | undefined> {
  const fresh = await scope.stages.reach('fresh')
  if (fresh.kind === 'failed') return undefined
  return withMachine(scope.machines, fresh.stage.saved, (machine) =>
    goThrough(scope, machine, fresh.stage.state),
  )
}

async function goThrough(
  scope: ProofScope,
  machine: SteppedMachine,
  fresh: MachineState,
): Promise<ReadonlyMap<string, string> | undefined> {
  const sections = new Map<string, string>()
  const states = [fresh]
  for (const turn of turns) {
    if (scope.subject.runs[turn.phase] === undefined) continue
    let after: MachineState | undefined
    await scope.step(turn.title, async (noted) => {
      after = await takeTurn(scope, machine, { turn, noted })
      if (after === undefined) return
      const { findings, compared } = turn.judge(scope.subject, states, after)
      noted.find(...findings)
      for (const each of compared) compare(scope, each, { sections, noted })
    })
    if (after === undefined) return undefined
    states.push(after)
  }
  return sections
}

/** Nothing can be said of what comes after a phase that failed. */
async function takeTurn(
  { subject }: ProofScope,
  machine: SteppedMachine,
  { turn: { phase, title }, noted }: { readonly turn: Turn; readonly noted: Noted },
): Promise<MachineState | undefined> {
  const run = subject.runs[phase]
  if (run === undefined) return undefined
  if (phase === 'uninstall' && subject.settings.rebootBeforeUninstall) await machine.reboot()
  const failed = failureOf('PhaseFails', title, await machine.run(run))
  noted.find(...failed)
  return failed.length > 0 ? undefined : machine.state()
}

/** Keeps what is for proof.txt and holds it against what is there. */
function compare(
  { family, subject }: ProofScope,
  { title, before, after }: Compared,
  { sections, noted }: { readonly sections: Map<string, string>; readonly noted: Noted },
): void {
  const lines = renderChanges(changesBetween(before, after, subject.volatile))
  const name = `${family}: ${title}`
  sections.set(name, lines.join('\n'))
  if (title === leftByLeave) noted.note(summary(lines))
  if (subject.golden !== undefined) noted.find(...goldenDiffers(name, subject.golden, lines))
}

export function goldenDiffers(
  name: string,
  golden: string,
  lines: readonly string[],
): readonly ProofFinding[] {
  const wanted = parseGolden(golden).get(name) ?? ''
  const found = lines.join('\n')
  if (wanted === found) return []
  const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'))
  return [
    {
      reason: 'GoldenDiffers',
      message: `section "${name}" of proof.txt is not what was found`,
      lines: shortened(shortDiff(linesOf(wanted), linesOf(found))),
    },
  ]
}

const mostSummed = 6

function summary(lines: readonly string[]): string {
  const headings = lines.filter((line) => !line.startsWith(' '))
  if (headings.length === 0) return 'the machine is as it was before join'
  const more = headings.length > mostSummed ? `; and ${headings.length - mostSummed} more` : ''
  return `${leftByLeave}: ${headings.slice(0, mostSummed).join('; ')}${more}`
}
