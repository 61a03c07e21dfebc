// A phase by hand, without a cluster: the same run that the control plane would start, watched from here.
import { makeSystemClock } from '../adapters/node/clock.ts'
import { makeUuids } from '../adapters/node/random.ts'
import { HostError } from '../errors/host-error.ts'
import type { HostRuns, RunRequest, SshTarget } from '../execution/ports.ts'
import { nextFence } from '../hosts/fence.ts'
import type { HostKeyPin } from '../hosts/host-record.ts'
import type { PreparedPhase } from '../phase/prepare-phase.ts'
import { parseScriptPhase, type ScriptPhase } from '../profile/script-phase.ts'
import type { Arguments, Command } from './command.ts'
import type { Console } from './console.ts'
import { followRun, showHostKeys } from './follow-run.ts'
import { loadRuns } from './load-runs.ts'
import { prepareByHand, readSigners } from './prepare-by-hand.ts'
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
    {
      name: 'signer',
      value: 'LINE',
      meaning:
        'With --verified: the public key line that must have signed, or a file of them. Checked before anything is sent; the host checks by its own.',
    },
  ],
  notes: [
    'Needs no cluster and tells none: a host that joins this way is a stranger to its control plane. The output is shown as it comes, without secrets. The host carries the script out by itself and ends it at the timeout of the profile; Ctrl-C only stops watching, and says how to go on.',
    'A script that fails ends with exit code 70.',
  ],
  async run(args, console) {
    const phase = parseScriptPhase(args.positionals[0] ?? '')
    const profile = await readProfile(args.values['profile'] ?? '', args.values['name'])
    const context = await readContext(args.values['context'] ?? '')
    const target = await sshTarget(args)
    const signers = await readSigners(args)
    const isVerified = target.verified !== undefined
    const prepare = (envelope: number | undefined) =>
      prepareByHand(
        {
          profile,
          phase,
          context,
          host: target.label,
          isVerified,
          signers,
          nowMs: makeSystemClock().nowMs(),
        },
        envelope,
      )
    // What is wrong with the profile is said before any host is spoken to.
    const { agentUnits } = prepare(undefined)
    return startAndFollow({ args, console, phase, agentUnits, prepare, target })
  },
}

interface Errand {
  readonly args: Arguments
  readonly console: Console
  readonly phase: ScriptPhase
  readonly agentUnits: readonly string[]
  /** For a host that reads envelopes up to this version. */
  readonly prepare: (envelope: number | undefined) => PreparedPhase
  readonly target: SshTarget
}

async function startAndFollow({
  args,
  console,
  phase,
  agentUnits,
  prepare,
  target,
}: Errand): Promise<number> {
  const { clock, runs } = await loadRuns()
  const { hostKeys, ...order } = await withProgress(
    { clock, console, text: `Looking at ${target.label}` },
    () => placeInOrder(runs, target, agentUnits),
  )
  showHostKeys(console, hostKeys)
  // The host that was shown is the one that gets the secrets.
  const pinned = { ...target, pins: target.pins.length > 0 ? target.pins : hostKeys }
  const { marker, ...rest } = prepare(order.envelope)
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
      begin: (watch) => runs.start(pinned, request, { ...watch, attachedMs: request.timeoutMs + graceMs }),
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
  readonly envelope: number | undefined
}

/** Everything done to a host has its place in one order, and the host knows how far that has come. */
async function placeInOrder(
  runs: HostRuns,
  target: SshTarget,
  agentUnits: readonly string[],
): Promise<Place> {
  const { report, hostKeys } = await runs.probe(target, { agentUnits })
  if (report.kind === 'unable') throw new HostError(report.message, { reason: report.reason })
  const { installation, envelope } = report
  return { hostKeys, installationID: installation?.id, fence: installation?.fence ?? 0, envelope }
}

function attachLine({ values, switches }: Arguments, phase: ScriptPhase, runId: string): string {
  const options = sshOptions.flatMap(({ name }) => {
    const value = values[name]
    if (switches.has(name)) return [`--${name}`]
    return value === undefined
      ? []
      : [`--${name} ${/^[\w@%+=:,./[\]-]+$/.test(value) ? value : `'${value}'`}`]
  })
  return [`kpssh phase attach ${phase} ${runId}`, ...options].join(' ')
}
