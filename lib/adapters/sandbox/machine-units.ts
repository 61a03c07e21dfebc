// What systemctl of a machine says of the units that are not this machine's own.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileState, UnitState } from '../../proof/ports.ts'

const unitFile = /^\/(?:etc|run|usr\/lib|usr\/local\/lib)\/systemd\/system\/([\w@:.-]+\.service)$/

/** Of unit files that the machine has got, and of everything that was ever started. */
export function unitNames(root: string, files: ReadonlyMap<string, FileState>): readonly string[] {
  const volatile = join(root, '.sandbox/volatile/units')
  const started = existsSync(volatile) ? readdirSync(volatile) : []
  const withFile = [...files.keys()]
    .map((path) => unitFile.exec(path)?.[1])
    .filter((name) => name !== undefined)
  const services = started.filter((name) => name.endsWith('.service'))
  return [...new Set([...withFile, ...services])].sort()
}

const asks = `for unit; do
  printf '%s %s %s\\n' "$unit" "$(systemctl is-enabled "$unit" 2>/dev/null)" "$(systemctl is-active "$unit" 2>/dev/null)"
done`

export async function readUnits(
  names: readonly string[],
  run: (command: readonly string[]) => Promise<string>,
): Promise<ReadonlyMap<string, UnitState>> {
  if (names.length === 0) return new Map()
  const said = await run(['bash', '-c', asks, 'units', ...names])
  return new Map(
    said.split('\n').flatMap((line) => {
      const [, name, enablement = '', activity = ''] = /^(\S+\.service) (\S*) (\S*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, unitState(enablement, activity)] as const]
    }),
  )
}

function unitState(enablement: string, activity: string): UnitState {
  return {
    enablement: oneOf(enablement, ['enabled', 'disabled', 'static', 'masked'], 'not-found'),
    activity: oneOf(activity, ['active', 'activating', 'failed'], 'inactive'),
  }
}

function oneOf<T extends string, D extends string>(text: string, known: readonly T[], other: D): T | D {
  return known.find((each) => each === text) ?? other
}
