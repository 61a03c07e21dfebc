// What must be true of a machine after a phase, whatever the profile.
import { runtimeUnits } from '../profile/lint/units.ts'
import type { MachineState, UnitState } from './ports.ts'
import type { ProofFinding } from './proof-report.ts'
import type { ProofReason } from './proof-reasons.ts'
import { leaveMayKeep, type ProofSettings } from './proof-settings.ts'

const absent: UnitState = { enablement: 'not-found', activity: 'inactive' }
const runtimes = runtimeUnits.map((name) => `${name}.service`)

export interface Expectation {
  readonly agentUnits: readonly string[]
  /** In the words of a finding: `after leave`. */
  readonly when: string
}

export interface OffExpectation extends Expectation {
  /** A runtime that was on then is not ours. */
  readonly baseline: MachineState
  /** Instead of UnitStillActive and UnitStillEnabled. */
  readonly reason?: ProofReason
}

/** Agent units, and the runtime that came with them, are neither running nor going to at the next boot. */
export function unitsStillOn(
  state: MachineState,
  { agentUnits, when, baseline, reason }: OffExpectation,
): readonly ProofFinding[] {
  const ours = runtimes.filter((name) => !isActive(baseline, name) && !isEnabled(baseline, name))
  return [...agentUnits, ...ours].flatMap((name) => [
    ...(isActive(state, name)
      ? [finding(reason ?? 'UnitStillActive', `${name} is ${unitOf(state, name).activity} ${when}`)]
      : []),
    ...(isEnabled(state, name) ? [finding(reason ?? 'UnitStillEnabled', `${name} is enabled ${when}`)] : []),
  ])
}

/** `reason` instead of UnitNotActive and UnitNotEnabled. */
export function unitsNotOn(
  state: MachineState,
  { agentUnits, when, reason }: Expectation & { readonly reason?: ProofReason },
): readonly ProofFinding[] {
  return agentUnits.flatMap((name) => {
    const { activity, enablement } = unitOf(state, name)
    return [
      ...(activity === 'active'
        ? []
        : [finding(reason ?? 'UnitNotActive', `${name} is ${activity} ${when}`)]),
      ...(enablement === 'enabled'
        ? []
        : [finding(reason ?? 'UnitNotEnabled', `${name} is ${enablement}, not enabled, ${when}`)]),
    ]
  })
}

export function unitOf(state: MachineState, name: string): UnitState {
  return state.units.get(name) ?? absent
}

function isActive(state: MachineState, name: string): boolean {
  const { activity } = unitOf(state, name)
  return activity === 'active' || activity === 'activating'
}

function isEnabled(state: MachineState, name: string): boolean {
  return unitOf(state, name).enablement === 'enabled'
}

function finding(reason: ProofReason, message: string, lines: readonly string[] = []): ProofFinding {
  return { reason, message, lines }
}

/** What runs, is mounted or is up after leave and was not before join. */
export function remains(
  before: MachineState,
  after: MachineState,
  { leaveKeeps }: Pick<ProofSettings, 'leaveKeeps'>,
): readonly ProofFinding[] {
  const more = after.containers - before.containers
  const mounts = newIn(before.mounts, after.mounts)
  const devices = newIn(before.devices, after.devices)
  const processes = newIn(before.processes ?? [], after.processes ?? [])
  const found = {
    containers:
      more > 0 ? [finding('ContainersStay', `${more} of the node's containers run after leave`)] : [],
    mounts:
      mounts.length > 0
        ? [finding('MountsStay', `${mounts.length} mounts of the membership are there after leave`, mounts)]
        : [],
    devices: devices.length > 0 ? [finding('DevicesStay', `${devices.join(', ')} is there after leave`)] : [],
    processes:
      processes.length > 0
        ? [
            finding(
              'ProcessesStay',
              `${processes.length} processes of the membership run after leave`,
              commandLines(processes),
            ),
          ]
        : [],
  }
  return leaveMayKeep.flatMap((kind) => (leaveKeeps.includes(kind) ? [] : found[kind]))
}

const mostCommands = 10
const mostCommandCharacters = 160

function commandLines(commands: readonly string[]): readonly string[] {
  const more = commands.length - mostCommands
  return [
    ...commands.slice(0, mostCommands).map((command) => command.slice(0, mostCommandCharacters)),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ]
}

function newIn(before: readonly string[], after: readonly string[]): readonly string[] {
  return after.filter((each) => !before.includes(each))
}
