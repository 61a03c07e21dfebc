// What a script does to systemd units.
import type { Invocation } from './walk/invocation.ts'
import { mayBe, type Texts } from './walk/text.ts'

export interface UnitCommand {
  readonly verbs: Texts
  /** Without `.service`. */
  readonly units: Texts
  readonly isNow: boolean
  readonly line: number
  /** Its place among the invocations. */
  readonly index: number
}

/** Container runtimes under the names of their units. */
export const runtimeUnits = ['containerd', 'crio', 'cri-o', 'docker', 'cri-docker', 'cri-dockerd']

const valueOption =
  /^(?:-[pnstoHM]|--(?:property|lines|signal|type|output|host|machine|kill-who|kill-whom|job-mode))$/

export function unitCommands(invocations: readonly Invocation[]): readonly UnitCommand[] {
  return invocations.flatMap((invocation, index) => {
    if (invocation.program === 'systemctl') return [systemctl(invocation, index)]
    return invocation.program === 'service' ? service(invocation, index) : []
  })
}

function systemctl({ arguments: args, line }: Invocation, index: number): UnitCommand {
  const operands: Texts[] = []
  let isNow = false
  for (let at = 0; at < args.length; at += 1) {
    const texts = args[at]?.texts ?? []
    const [text = ''] = texts
    if (text === '--now') isNow = true
    else if (valueOption.test(text)) at += 1
    else if (!text.startsWith('-')) operands.push(texts)
  }
  const [verbs = [], ...units] = operands
  return { verbs, units: units.flat().map(unitName), isNow, line, index }
}

/** `service NAME VERB`. */
function service({ arguments: [unit, verb], line }: Invocation, index: number): readonly UnitCommand[] {
  if (unit === undefined || verb === undefined) return []
  return [{ verbs: verb.texts, units: unit.texts.map(unitName), isNow: false, line, index }]
}

export function unitName(text: string): string {
  return text.replace(/\.service$/, '')
}

export function hasVerb({ verbs }: UnitCommand, ...wanted: readonly string[]): boolean {
  return wanted.some((verb) => verbs.some((text) => mayBe(text, verb)))
}

export function concerns({ units }: UnitCommand, unit: string): boolean {
  return units.some((text) => mayBe(text, unitName(unit)))
}

/** So that the unit does not come back with the next boot. */
export function disables(command: UnitCommand): boolean {
  return hasVerb(command, 'disable', 'mask')
}

export function stops(command: UnitCommand): boolean {
  return hasVerb(command, 'stop', 'kill') || (disables(command) && command.isNow)
}

export function starts(command: UnitCommand): boolean {
  return hasVerb(command, 'enable', 'reenable', 'start', 'restart', 'reload-or-restart')
}
