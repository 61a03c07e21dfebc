// Objects that cannot be read are left out, so that one mistake does not stop the others.
import { SpecError } from '../errors/spec-error.ts'
import type { DaemonSet } from '../api/daemon-set.ts'
import type { NodePool } from '../api/node-pool.ts'
import { daemonOf, type Daemon } from './daemons.ts'
import { isOurs, provisioningPools, templateOf, type Template } from './template.ts'

interface Templates {
  /** Ours, in the order in which they are tried. */
  readonly templates: readonly Template[]
  readonly neighbors: readonly Template[]
  readonly problems: readonly string[]
}

export function readTemplates(pools: readonly NodePool[]): Templates {
  const provisioning = provisioningPools(pools)
  const ours = readEach('NodePool', provisioning.filter(isOurs), templateOf)
  const others = readEach(
    'NodePool',
    provisioning.filter((pool) => !isOurs(pool)),
    templateOf,
  )
  return { templates: ours.read, neighbors: others.read, problems: ours.problems }
}

export function readDaemons(daemonSets: readonly DaemonSet[]): {
  readonly daemons: readonly Daemon[]
  readonly problems: readonly string[]
} {
  const { read, problems } = readEach('DaemonSet', daemonSets, daemonOf)
  return { daemons: read, problems }
}

function readEach<T extends { readonly metadata: { readonly name: string } }, R>(
  kind: string,
  objects: readonly T[],
  read: (object: T) => R,
): { readonly read: readonly R[]; readonly problems: readonly string[] } {
  const done: R[] = []
  const problems: string[] = []
  for (const object of objects) {
    try {
      done.push(read(object))
    } catch (error) {
      if (!(error instanceof SpecError)) throw error
      problems.push(`${kind} "${object.metadata.name}": ${error.message}`)
    }
  }
  return { read: done, problems }
}
