// Which of our CustomResourceDefinitions a cluster lacks. Karpenter's own are never touched: the minimal ones that we carry
// are offered only where there is none.
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Clock } from '../../../lib/ambient/ports.ts'
import type { KubernetesReader, KubernetesWriter, Resource } from '../../../lib/kubernetes/ports.ts'

const Condition = z.object({ type: z.string(), status: z.string() })
const LiveDefinition = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}),
  status: z.looseObject({ conditions: z.array(Condition).default([]) }).optional(),
})
type LiveDefinition = z.infer<typeof LiveDefinition>

const definitions: Resource<LiveDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  isNamespaced: false,
  schema: LiveDefinition,
}

export interface DefinitionChange {
  readonly name: string
  readonly verb: 'create' | 'update'
  readonly manifest: LiveDefinition
}

const crdFolder = resolve(import.meta.dirname, '../../crds')

/** What would have to change; empty where everything is in place. */
export async function plannedDefinitions(
  kubernetes: Pick<KubernetesReader, 'get'>,
): Promise<readonly DefinitionChange[]> {
  const ours = await readManifests(crdFolder)
  const karpenter = await readManifests(join(crdFolder, 'karpenter-minimal'))
  const changes: DefinitionChange[] = []
  for (const manifest of [...ours, ...karpenter]) {
    const { name } = manifest.metadata
    const live = await kubernetes.get(definitions, name)
    if (live === undefined) changes.push({ name, verb: 'create', manifest })
    else if (ours.includes(manifest) && !contains(live.spec, manifest.spec))
      changes.push({ name, verb: 'update', manifest })
  }
  return changes
}

async function readManifests(folder: string): Promise<readonly LiveDefinition[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).toSorted()
  return Promise.all(
    files.map(async (file) => LiveDefinition.parse(parse(await readFile(join(folder, file), 'utf8')))),
  )
}

/** True if everything that `wanted` says is so in `live`; a server adds defaults of its own. */
function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((item, index) => contains(live[index], item))
    )
  }
  if (typeof wanted !== 'object' || wanted === null) return Object.is(live, wanted)
  if (typeof live !== 'object' || live === null) return false
  const entries: Readonly<Record<string, unknown>> = { ...live }
  return Object.entries(wanted).every(([key, value]) => contains(entries[key], value))
}

/** Resolves when the server serves all of them. Throws if one does not become so in time. */
export async function applyDefinitions(
  changes: readonly DefinitionChange[],
  kubernetes: Pick<KubernetesReader & KubernetesWriter, 'get' | 'create' | 'patch'>,
  clock: Clock,
): Promise<void> {
  for (const { name, verb, manifest } of changes) {
    const { spec } = manifest
    const outcome =
      verb === 'create'
        ? await kubernetes.create(definitions, manifest)
        : await kubernetes.patch(definitions, name, { spec })
    if (outcome.kind === 'invalid')
      throw new Error(`Cannot ${verb} the CustomResourceDefinition "${name}": ${outcome.message}`)
  }
  for (const { name } of changes) await waitUntilServed(name, kubernetes, clock)
}

const patienceMs = 30_000
const lookEveryMs = 200

async function waitUntilServed(
  name: string,
  kubernetes: Pick<KubernetesReader, 'get'>,
  clock: Clock,
): Promise<void> {
  const untilMs = clock.nowMs() + patienceMs
  while (clock.nowMs() < untilMs) {
    const live = await kubernetes.get(definitions, name)
    const conditions = live?.status?.conditions ?? []
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return
    await clock.wait(lookEveryMs)
  }
  throw new Error(
    `Cannot use the CustomResourceDefinition "${name}": not established after ${patienceMs / 1000} s`,
  )
}
