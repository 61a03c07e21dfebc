// Makes sure that a cluster may be driven from here and has what is needed for it. Nothing is written before somebody agreed.
import type { Clock } from '../../../lib/ambient/ports.ts'
import type { Kubernetes } from '../../../lib/kubernetes/ports.ts'
import { namespaces } from '../../../lib/kubernetes/resources.ts'
import { applyDefinitions, plannedDefinitions } from './definitions.ts'
import { findReferenceController, referenceControllerRefusal } from './reference-controller.ts'
import type { Terminal } from './terminal.ts'

export interface PrepareOptions {
  readonly kubernetes: Kubernetes
  /** For people: which cluster this is. */
  readonly description: string
  readonly namespace: string
  readonly terminal: Terminal
  readonly clock: Clock
}

/** Resolves to the uid of the cluster. Throws an Error, for people, if it must not or cannot be used. */
export async function prepareCluster({
  kubernetes,
  description,
  namespace,
  terminal,
  clock,
}: PrepareOptions): Promise<string> {
  const uid = await clusterUid(kubernetes, description)
  terminal.say(`cluster: ${description}, uid ${uid}`)
  const reference = await findReferenceController(kubernetes)
  if (reference !== undefined) throw new Error(referenceControllerRefusal(reference))

  const changes = await plannedDefinitions(kubernetes)
  const hasNamespace = (await kubernetes.get(namespaces, namespace)) !== undefined
  const wanted = [
    ...changes.map(({ verb, name }) => `${verb} CustomResourceDefinition ${name}`),
    ...(hasNamespace ? [] : [`create Namespace ${namespace}`]),
  ]
  if (wanted.length === 0) return uid
  wanted.forEach((line) => terminal.say(`  ${line}`))
  if (!(await terminal.ask(`Write these ${wanted.length} objects to ${description}?`))) {
    throw new Error(
      `Cannot go on with ${description}: it lacks what is listed above, agree to it or run npm start -- --yes`,
    )
  }
  await applyDefinitions(changes, kubernetes, clock)
  if (!hasNamespace) {
    const manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await kubernetes.create(namespaces, manifest)
  }
  return uid
}

async function clusterUid(kubernetes: Kubernetes, description: string): Promise<string> {
  const system = await kubernetes.get(namespaces, 'kube-system')
  if (system === undefined)
    throw new Error(`Cannot use ${description}: it has no namespace "kube-system", name a Kubernetes cluster`)
  return system.metadata.uid ?? 'unknown'
}
