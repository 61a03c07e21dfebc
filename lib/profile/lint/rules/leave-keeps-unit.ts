import { packageVerb } from '../package-managers.ts'
import type { LintProfile, LintScript, Match, Rule } from '../rule.ts'
import { concerns, disables, runtimeUnits, starts, stops, unitCommands, type UnitCommand } from '../units.ts'
import { removals, pathsOf } from '../removals.ts'
import type { Invocation } from '../walk/invocation.ts'

export const leaveKeepsUnit: Rule = {
  name: 'LeaveKeepsUnit',
  severity: 'error',
  explanation:
    'A unit that is stopped but enabled comes back with the next boot: the host joins again by itself, with warm credentials, and is paid for. The container runtime would bring back what it ran.',
  fix: 'In leave, `systemctl disable --now` every agent unit and its runtime; join enables them again.',
  check(script, profile) {
    if (script.phase !== 'leave') return []
    const commands = unitCommands(script.invocations)
    return unitsToStop(profile).flatMap((unit) => faultsOf(script, commands, unit))
  },
}

/** The agent, and every container runtime that install or join switches on. */
function unitsToStop({ agentUnits, scripts: { install, join } }: LintProfile): readonly string[] {
  const invocations = [install, join].flatMap((script) => script?.invocations ?? [])
  const started = unitCommands(invocations)
    .filter(starts)
    .flatMap(({ units }) => units)
  const on = new Set([...started, ...invocations.flatMap(installedRuntimes)])
  return [...new Set([...agentUnits, ...runtimeUnits.filter((unit) => on.has(unit))])]
}

const runtimePackages: Readonly<Partial<Record<string, string>>> = {
  containerd: 'containerd',
  'containerd.io': 'containerd',
  'cri-o': 'crio',
  'docker-ce': 'docker',
  'docker.io': 'docker',
}

/** Units that a package manager enables by installing their package. */
function installedRuntimes(invocation: Invocation): readonly string[] {
  const verb = packageVerb(invocation)
  if (verb !== 'install' && verb !== 'in' && verb !== 'add') return []
  return invocation.arguments
    .flatMap(({ texts }) => texts)
    .flatMap((text) => (Object.hasOwn(runtimePackages, text) ? [runtimePackages[text] ?? ''] : []))
}

function faultsOf(script: LintScript, commands: readonly UnitCommand[], unit: string): readonly Match[] {
  const own = commands.filter((command) => concerns(command, unit))
  const stop = own.find(stops)
  const isStopped = stop !== undefined || isKilled(script, unit)
  const isDisabled = own.some(disables) || isUnlinked(script, unit)
  if (isStopped && isDisabled) return []
  const line = (stop ?? own.find(disables))?.line ?? script.firstLine
  if (isStopped) return [{ line, message: `leave stops ${unit} but does not disable it` }]
  if (isDisabled) return [{ line, message: `leave disables ${unit} but does not stop it` }]
  return [{ line, message: `leave neither stops nor disables ${unit}` }]
}

function isKilled({ invocations }: LintScript, unit: string): boolean {
  return invocations.some(
    ({ program, arguments: args }) =>
      (program === 'pkill' || program === 'killall') && args.some(({ texts }) => texts.includes(unit)),
  )
}

/** What `disable` does, by hand. */
function isUnlinked({ invocations }: LintScript, unit: string): boolean {
  return removals(invocations).some(({ operands }) =>
    operands.flatMap(pathsOf).some((path) => path.includes('.wants/') && path.endsWith(`/${unit}.service`)),
  )
}
