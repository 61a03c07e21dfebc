// A phase by hand, without a cluster: the same run that the control plane would start, watched from here.
import { makeUuids } from '../adapters/node/random.ts'
import { HostError } from '../errors/host-error.ts'
import type { HostRuns, RunRequest, SshTarget } from '../execution/ports.ts'
import { nextFence } from '../hosts/fence.ts'
import type { HostKeyPin } from '../hosts/host-record.ts'
import { renderPhase, type RenderedPhase } from '../profile/render-phase.ts'
import { parseScriptPhase, type ScriptPhase } from '../profile/script-phase.ts'
import type { Arguments, Command } from './command.ts'
import type { Console } from './console.ts'
import { followRun, showHostKeys } from './follow-run.ts'
import { loadRuns } from './load-runs.ts'
import { withProgress } from './progress.ts'
import { readContext } from './read-input.ts'
import { readProfile } from './read-profile.ts'
import { reportOutcome } from './report-outcome.ts'
import { sshOptions, sshTarget } from './ssh-options.ts'

/** After its deadline a run gets TERM, then KILL; contact takes its time as well. */
const graceMs = 60_000
const detachedExitCode = 130

export const phaseRunCommand: Command = {
  noun: 'phase',
  verb: 'run',
  summary: 'Runs a phase of a profile on a host, by hand.',
  positionals: [{ name: 'PHASE', meaning: 'install, join, leave or uninstall.' }],
  options: [
    {
      name: 'profile',
      value: 'PROFILE',
      isRequired: true,
      meaning: 'A file, YAML or JSON, or the folder of a profile.',
    },
    { name: 'name', value: 'NAME', meaning: 'The profile to take, where the file holds several.' },
    ...sshOptions,
    { name: 'context', value: 'CTX.json', isRequired: true, meaning: 'As for profile render.' },
    {
      name: 'installation',
      value: 'ID',
      meaning: 'On behalf of this installation. Without it: of the one that the host belongs to, if to any.',
    },
  ],
  notes: [
    'Needs no cluster and tells none: a host that joins this way is a stranger to its control plane. The output is shown as it comes, without secrets. The host carries the script out by itself and ends it at the timeout of the profile; Ctrl-C only stops watching, and says how to go on.',
    'A script that fails ends with exit code 70.',
  ],
  async run(args, console) {
    const phase = parseScriptPhase(args.positionals[0] ?? '')
    const profile = await readProfile(args.values['profile'] ?? '', args.values['name'])
    const rendered = renderPhase(profile, phase, await readContext(args.values['context'] ?? ''))
    return startAndFollow({ args, console, phase, rendered, target: await sshTarget(args) })
  },
}

interface Errand {
  readonly args: Arguments
  readonly console: Console
  readonly phase: ScriptPhase
  readonly rendered: RenderedPhase
  readonly target: SshTarget
}

async function startAndFollow({ args, console, phase, rendered, target }: Errand): Promise<number> {
  const { clock, runs } = await loadRuns()
  const { hostKeys, ...order } = await withProgress(
    { clock, console, text: `Looking at ${target.label}` },
    () => placeInOrder(runs, target, rendered.agentUnits),
  )
  showHostKeys(console, hostKeys)
  // The host that was shown is the one that gets the secrets.
  const pinned = { ...target, pins: target.pins.length > 0 ? target.pins : hostKeys }
  const { marker, ...rest } = rendered
  const installationID = args.values['installation'] ?? order.installationID
  const request: RunRequest = {
    ...rest,
    runId: makeUuids().next(),
    phase,
    profile: marker,
    ...(installationID !== undefined && { installationID }),
    fence: nextFence(order.fence, clock.nowMs()),
  }
  const run = { runId: request.runId, phase }
  const followed = await followRun(
    { clock, console },
    {
      label: target.label,
      deadlineAtMs: clock.nowMs() + request.timeoutMs + graceMs,
      areHostKeysShown: true,
      begin: (watch) => runs.start(pinned, request, watch),
      attach: (watch) => runs.attach(pinned, run, watch),
    },
  )
  if (followed.kind === 'ended') {
    reportOutcome(console, phase, followed.outcome)
    return 0
  }
  if (followed.kind === 'stopped') {
    console.note(`Stopped before ${phase} was started: nothing was done to the host\n`)
    return detachedExitCode
  }
  console.note(
    `Detached: ${phase} goes on at the host. Watch it again with\n  ${attachLine(args, phase, run.runId)}\n`,
  )
  return detachedExitCode
}

interface Place {
  readonly hostKeys: readonly HostKeyPin[]
  readonly installationID: string | undefined
  readonly fence: number
}

/** Everything done to a host has its place in one order, and the host knows how far that has come. */
async function placeInOrder(
  runs: HostRuns,
  target: SshTarget,
  agentUnits: readonly string[],
): Promise<Place> {
  const { report, hostKeys } = await runs.probe(target, { agentUnits })
  if (report.kind === 'unable') throw new HostError(report.message, { reason: report.reason })
  return { hostKeys, installationID: report.installation?.id, fence: report.installation?.fence ?? 0 }
}

function attachLine({ values }: Arguments, phase: ScriptPhase, runId: string): string {
  const options = sshOptions.flatMap(({ name }) => {
    const value = values[name]
    return value === undefined
      ? []
      : [`--${name} ${/^[\w@%+=:,./[\]-]+$/.test(value) ? value : `'${value}'`}`]
  })
  return [`kpssh phase attach ${phase} ${runId}`, ...options].join(' ')
}
