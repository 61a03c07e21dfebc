// Proves a profile: carries out what it does on machines that are thrown away.
import { formatGolden } from '../proof/golden.ts'
import { makeProofSubject, runProofs } from '../proof/run-proofs.ts'
import { makeSeededRandom } from '../proof/seeded-random.ts'
import type { Arguments, Command } from './command.ts'
import type { Console } from './console.ts'
import { loadSandboxes, type Sandboxes } from './load-sandboxes.ts'
import { proofPlanOf, type ProofPlan } from './proof-plan.ts'
import { readProofFolder, type ProofFolder } from './read-proof-folder.ts'
import { showProofs, type ShownProofs } from './show-proofs.ts'
import { trackMachines } from './track-machines.ts'
import { writeOutput } from './write-output.ts'

const stoppedExitCode = 130

export const profileTestCommand: Command = {
  noun: 'profile',
  verb: 'test',
  summary: 'Proves a profile by running it on machines made for that.',
  positionals: [
    { name: 'DIR', meaning: 'The folder of a profile; proof.yaml in it says what scripts need.' },
  ],
  options: [
    {
      name: 'proof',
      value: 'N',
      meaning: 'Only this one: 1 cycle, 2 interruptions, 3 reboots, 4 leave, 5 secrets.',
    },
    { name: 'every-step', meaning: 'Interrupt at every point that can differ, not at a few: takes minutes.' },
    {
      name: 'seed',
      value: 'N',
      meaning: 'Of the few points; a report names its own, with which it can be repeated.',
    },
    { name: 'update', meaning: 'Write what each phase changes into proof.txt, to be reviewed and kept.' },
    { name: 'json', meaning: 'All steps and findings as JSON, at the end.' },
  ],
  notes: [
    'Runs every phase for real, as root, in namespaces of this machine: its programs are there, its files and network are not, and what joins a cluster has stand-ins. Needs root on Linux; no container engine. Nothing is left behind, also after Ctrl-C.',
    'Each finding has its name, why it matters and what to do; docs/profiles.md explains the proofs. Ends with 65 when anything was found, with 69 where no such machine can be made.',
  ],
  run: (args, console) => proveFolder(args, console, loadSandboxes),
}

/** Throws UsageError and the errors of lib/errors. */
export async function proveFolder(
  args: Arguments,
  console: Console,
  load: () => Promise<Sandboxes>,
): Promise<number> {
  const plan = proofPlanOf(args)
  const folder = await readProofFolder(args.positionals[0] ?? '')
  const sandboxes = await load()
  const stopped = Promise.withResolvers<'stopped'>()
  const unsubscribe = console.onInterrupt(() => stopped.resolve('stopped'))
  try {
    return await prove({ plan, folder, console, sandboxes, stopped: stopped.promise })
  } finally {
    unsubscribe()
  }
}

interface Errand {
  readonly plan: ProofPlan
  readonly folder: ProofFolder
  readonly console: Console
  readonly sandboxes: Sandboxes
  readonly stopped: Promise<'stopped'>
}

async function prove(errand: Errand): Promise<number> {
  const { plan, folder, console } = errand
  const shown = showProofs(errand)
  const sections = new Map<string, string>()
  let isWhole = true
  try {
    for (const family of folder.settings.family) {
      const ended = await proveOn(errand, family, shown)
      if (ended === 'stopped') {
        console.note('Stopped: nothing was left behind\n')
        return stoppedExitCode
      }
      isWhole &&= ended !== undefined
      for (const [title, text] of ended ?? []) sections.set(title, text)
    }
  } finally {
    shown.stop()
  }
  shown.end()
  if (plan.isUpdate) await updateGolden(errand, isWhole ? sections : undefined)
  return sumUp(errand, shown)
}

function sumUp({ plan, folder, console }: Errand, { steps }: ShownProofs): number {
  const findings = steps.reduce((sum, step) => sum + step.findings.length + step.moreFindings, 0)
  const isSample = plan.effort.interruptions !== 'all' && plan.proofs.includes(2)
  const sample = isSample ? `, of interruptions a sample: seed ${plan.seed}` : ''
  if (folder.golden === undefined && plan.proofs.includes(1) && !plan.isUpdate) {
    console.note(`There is no ${folder.goldenFile} to hold the changes against: --update writes it\n`)
  }
  console.note(`${findings === 0 ? 'Everything holds' : counted(findings)}${sample}\n`)
  return findings === 0 ? 0 : 65
}

function counted(findings: number): string {
  return `${findings} finding${findings === 1 ? '' : 's'}`
}

type Ended = 'stopped' | ReadonlyMap<string, string> | undefined

async function proveOn(
  { plan, folder, sandboxes, stopped }: Errand,
  family: ProofFolder['settings']['family'][number],
  shown: ShownProofs,
): Promise<Ended> {
  const { clock } = sandboxes
  const golden = plan.isUpdate ? undefined : folder.golden
  const subject = makeProofSubject(folder.profile, folder.settings, golden)
  const machines = trackMachines(await sandboxes.make(family))
  try {
    const proven = runProofs(
      { clock, random: makeSeededRandom(plan.seed), machines, watch: shown.watch },
      { subject, family, proofs: plan.proofs, effort: plan.effort },
    )
    // What goes wrong in machines that are closed under it is nobody's concern.
    proven.catch(() => undefined)
    const ended = await Promise.race([proven, stopped])
    if (ended === 'stopped') shown.stop()
    return ended
  } finally {
    await machines.close()
  }
}

/** `sections` is undefined where a cycle did not come to its end. */
async function updateGolden(
  { folder: { goldenFile }, console }: Errand,
  sections: ReadonlyMap<string, string> | undefined,
): Promise<void> {
  if (sections === undefined) {
    console.note(`${goldenFile} is as it was: the cycle did not come to its end\n`)
    return
  }
  await writeOutput(goldenFile, formatGolden(sections))
  console.note(`${goldenFile} is written: review it\n`)
}
