// From a profile's directory to its SSHJoinProfile manifest: profile.yaml with the scripts beside it put in, byte for byte.
import { readFile } from 'node:fs/promises'
import { Document, isMap, parse, Scalar, stringify } from 'yaml'
import { isRecord, recordOf, type JsonRecord } from '../kube-api/json.ts'

const phases = ['install', 'join', 'leave', 'uninstall'] as const
const requiredPhases: readonly string[] = ['install', 'join', 'leave']

/** The SSHJoinProfile, for an API call. Throws for a directory that holds none. */
export async function buildProfile(directory: string): Promise<JsonRecord> {
  const described: unknown = parse(await readFile(`${directory}/profile.yaml`, 'utf8'))
  if (!isRecord(described))
    throw new Error(`Cannot build the profile in "${directory}": profile.yaml is no object`)
  const scripts = await readScripts(directory)
  return { ...described, spec: { ...recordOf(described['spec']), scripts } }
}

async function readScripts(directory: string): Promise<JsonRecord> {
  const read = await Promise.all(
    phases.map(async (phase) => {
      const text = await readFile(`${directory}/${phase}.sh`, 'utf8').catch(() => undefined)
      if (text === undefined && requiredPhases.includes(phase)) {
        throw new Error(
          `Cannot build the profile in "${directory}": ${phase}.sh is missing, every profile has one`,
        )
      }
      return text === undefined ? [] : [[phase, text] as const]
    }),
  )
  return Object.fromEntries(read.flat())
}

/** The manifest as a file for people: scripts are block scalars that hold exactly the bytes of their files. */
export function profileManifest(profile: JsonRecord): string {
  const document = new Document(profile)
  const scripts = document.getIn(['spec', 'scripts'])
  if (isMap(scripts)) {
    for (const { value } of scripts.items) {
      if (value instanceof Scalar) value.type = Scalar.BLOCK_LITERAL
    }
  }
  return stringify(document, { lineWidth: 0 })
}
