// What differs between two states of a machine, one line for each difference.
import type { FileState, MachineState } from '../../../lib/proof/ports.ts'

/** `+` is there now, `-` was there before, `~` has changed. Sorted by kind and name. */
export function stateDifferences(before: MachineState, after: MachineState): readonly string[] {
  return [
    ...mapDifferences(before.files, after.files, fileChange),
    ...mapDifferences(before.units, after.units, (a, b) => {
      const [was, is] = [a, b].map(({ enablement, activity }) => `${enablement} ${activity}`)
      return was === is ? undefined : `${String(was)} -> ${String(is)}`
    }),
    ...listDifferences('mount', before.mounts, after.mounts),
    ...listDifferences('device', before.devices, after.devices),
    ...(before.containers === after.containers
      ? []
      : [`~ containers ${String(before.containers)} -> ${String(after.containers)}`]),
  ]
}

function mapDifferences<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  change: (before: T, after: T) => string | undefined,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    if (was === undefined) return [`+ ${name}`]
    if (is === undefined) return [`- ${name}`]
    const how = change(was, is)
    return how === undefined ? [] : [`~ ${name} ${how}`]
  })
}

function fileChange(was: FileState, is: FileState): string | undefined {
  const describe = ({ kind, mode, owner }: FileState): string => `${kind} ${mode.toString(8)} ${owner}`
  if (describe(was) !== describe(is)) return `${describe(was)} -> ${describe(is)}`
  return was.content === is.content ? undefined : 'content'
}

function listDifferences(
  kind: string,
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  return [
    ...after.filter((name) => !before.includes(name)).map((name) => `+ ${kind} ${name}`),
    ...before.filter((name) => !after.includes(name)).map((name) => `- ${kind} ${name}`),
  ]
}
