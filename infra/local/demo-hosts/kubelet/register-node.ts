import { listOf, recordOf, textOf } from '../../kube-api/json.ts'
import { timestamp } from '../../kube-api/kube-object.ts'
import type { KubeletFlags } from './flags.ts'
import type { Machine } from './machine.ts'
import type { NodeApi } from './node-api.ts'

export interface Kubelet {
  readonly flags: KubeletFlags
  readonly machine: Machine
  readonly log: (message: string) => void
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }
const arch = architectures[process.arch] ?? process.arch

/** Makes the Node, or takes over the one that is there: its taints stay as they are. */
export async function registerNode(api: NodeApi, kubelet: Kubelet): Promise<void> {
  const { flags, log } = kubelet
  const { status, body } = await api.send('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: flags.nodeName, labels: ownLabels(flags) },
    spec: {
      ...(flags.providerID !== '' && { providerID: flags.providerID }),
      ...(flags.taints.length > 0 && { taints: flags.taints }),
    },
    status: nodeStatus(kubelet, 'False'),
  })
  if (status === 201) {
    log(`registered Node ${flags.nodeName}`)
    return
  }
  if (status !== 409) throw new Error(`cannot register: ${String(status)} ${textOf(body['message'])}`)
  const labels = ownLabels(flags)
  await api.send('PATCH', `/api/v1/nodes/${flags.nodeName}`, { metadata: { labels } })
  log(`took over Node ${flags.nodeName}`)
}

function ownLabels(flags: KubeletFlags): Readonly<Record<string, string>> {
  return {
    'kubernetes.io/hostname': flags.nodeName,
    'kubernetes.io/arch': arch,
    'kubernetes.io/os': 'linux',
    ...flags.labels,
  }
}

export function nodeStatus({ flags, machine }: Kubelet, ready: 'True' | 'False'): object {
  const now = timestamp(Date.now())
  const capacity = {
    cpu: machine.cpu,
    memory: machine.memory,
    pods: String(machine.pods),
    'ephemeral-storage': '20Gi',
  }
  const condition = (type: string, status: string, reason: string): object => ({
    type,
    status,
    reason,
    message: '',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  })
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      ...(flags.nodeIP === '' ? [] : [{ type: 'InternalIP', address: flags.nodeIP }]),
      { type: 'Hostname', address: flags.nodeName },
    ],
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
      condition('Ready', ready, ready === 'True' ? 'KubeletReady' : 'KubeletNotReady'),
    ],
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: machine.bootID,
      kernelVersion: 'demo',
      osImage: 'kpssh demo host',
      containerRuntimeVersion: 'none://0',
      kubeletVersion: 'v1.36.2-demo',
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: arch,
    },
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
  }
}

/** undefined where it is gone. */
export async function readOwnNode(
  api: NodeApi,
  nodeName: string,
): Promise<{ readonly uid: string; readonly isReady: boolean } | undefined> {
  const { status, body } = await api.send('GET', `/api/v1/nodes/${nodeName}`)
  if (status !== 200) return undefined
  const conditions = listOf(recordOf(body['status'])['conditions']).map(recordOf)
  return {
    uid: textOf(recordOf(body['metadata'])['uid']),
    isReady: conditions.some((condition) => condition['type'] === 'Ready' && condition['status'] === 'True'),
  }
}
