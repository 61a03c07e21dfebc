// The world as a spectator sees it through the API server, and what changed between two looks.
import { isConditionTrue } from '../../../lib/api/condition.ts'
import type { Kubernetes } from '../../../lib/kubernetes/ports.ts'
import { nodeClaims, nodes, pods, sshHosts } from '../../../lib/kubernetes/resources.ts'

export interface SeenHost {
  readonly state: string
  readonly claim: string
  readonly installed: string
  readonly error: string
}

export interface Look {
  /** By name. */
  readonly hosts: ReadonlyMap<string, SeenHost>
  /** NodeClaim name to whether it is being deleted. */
  readonly nodeClaims: ReadonlyMap<string, 'new' | 'launched' | 'initialized' | 'leaving'>
  readonly nodes: ReadonlyMap<string, 'Ready' | 'NotReady'>
  /** Pod name to the node it runs on; empty while it runs nowhere. */
  readonly pods: ReadonlyMap<string, string>
}

export async function lookAtWorld(kubernetes: Kubernetes): Promise<Look> {
  const [hostList, claimList, nodeList, podList] = await Promise.all([
    kubernetes.list(sshHosts),
    kubernetes.list(nodeClaims),
    kubernetes.list(nodes),
    kubernetes.list(pods, { namespace: 'default' }),
  ])
  return {
    hosts: new Map(
      hostList.map(({ metadata, status }) => [
        metadata.name,
        {
          state: status?.state ?? 'Pending',
          claim: status?.claimRef?.name ?? '',
          installed: status?.installedProfile ?? '',
          error: status?.lastProbeError ?? '',
        },
      ]),
    ),
    nodeClaims: new Map(
      claimList.map(({ metadata, status }) => [
        metadata.name,
        metadata.deletionTimestamp !== undefined
          ? 'leaving'
          : isConditionTrue(status?.conditions, 'Initialized')
            ? 'initialized'
            : isConditionTrue(status?.conditions, 'Launched')
              ? 'launched'
              : 'new',
      ]),
    ),
    nodes: new Map(
      nodeList.map(({ metadata, status }) => [
        metadata.name,
        isConditionTrue(status?.conditions, 'Ready') ? 'Ready' : 'NotReady',
      ]),
    ),
    pods: new Map(
      podList.map(({ metadata, spec, status }) => [
        metadata.name,
        status?.phase === 'Running' ? (spec.nodeName ?? '') : '',
      ]),
    ),
  }
}

/** One line for each thing that changed. */
export function tellChanges(before: Look, after: Look): readonly string[] {
  return [
    ...tell(before.hosts, after.hosts, describeHost),
    ...tell(before.nodeClaims, after.nodeClaims, describeNodeClaim),
    ...tell(before.nodes, after.nodes, (name, was, is) =>
      is === undefined ? `node ${name} is gone` : was === is ? undefined : `node ${name} is ${is}`,
    ),
    ...tell(before.pods, after.pods, (name, was, is) =>
      is === undefined || is === '' || was === is ? undefined : `pod ${name} runs on ${is}`,
    ),
  ]
}

function tell<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  describe: (name: string, was: T | undefined, is: T | undefined) => string | undefined,
): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort()
  return names.flatMap((name) => describe(name, before.get(name), after.get(name)) ?? [])
}

function describeHost(name: string, was: SeenHost | undefined, is: SeenHost | undefined): string | undefined {
  if (is === undefined) return `host ${name} is out of the inventory`
  if (was?.installed !== is.installed && is.installed !== '')
    return `host ${name} has ${is.installed} installed`
  if (was?.state === is.state) return undefined
  const why = is.state === 'Unhealthy' ? `: ${is.error.split('\n')[0] ?? ''}` : ''
  const forWhom = is.state === 'Claimed' ? ` by ${is.claim}` : ''
  return `host ${name} is ${is.state}${forWhom}${why}`
}

function describeNodeClaim(
  name: string,
  was: string | undefined,
  is: string | undefined,
): string | undefined {
  if (was === is) return undefined
  if (is === undefined) return `NodeClaim ${name} is gone`
  return `NodeClaim ${name} is ${is}`
}
