// Pods, Nodes and Leases as large as real ones are, from their number alone.
import { createHash } from 'node:crypto'

/** The object of this index, as it was after this many changes. */
export type Make = (index: number, version: number) => object

const managedFields = Array.from({ length: 3 }, (_, index) => ({
  manager: ['kube-controller-manager', 'kube-scheduler', 'kubelet'][index],
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: Object.fromEntries(
    Array.from({ length: 25 }, (_, field) => [
      `f:some-rather-long-field-${field}`,
      { '.': {}, 'f:value': {} },
    ]),
  ),
}))

interface Identity {
  readonly name: string
  readonly index: number
  readonly version: number
}

export function metadata({ name, index, version }: Identity, extra: object = {}): object {
  const uid = `${index.toString(16).padStart(8, '0')}-0000-4000-8000-${createHash('md5').update(name).digest('hex').slice(0, 12)}`
  return {
    name,
    uid,
    resourceVersion: String(1_000_000 + version),
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields,
    ...extra,
  }
}

function nodeName(index: number): string {
  return `ip-10-${index >> 8}-${index & 255}-7.eu-central-1.compute.internal`
}

const workloads = 400

export function podMaker(nodes: number): Make {
  return (index, version) => {
    const workload = index % workloads
    const isPending = index % 40 === 0
    const labels = {
      'app.kubernetes.io/name': `workload-${workload}`,
      'app.kubernetes.io/instance': `workload-${workload}`,
      'pod-template-hash': `${workload}7f9c5d8b`,
      'team.example.com/owner': `team-${workload % 20}`,
      // Every tenth workload labels each of its pods differently, as StatefulSets do.
      ...(workload % 10 === 0
        ? { 'statefulset.kubernetes.io/pod-name': `workload-${workload}-${index}` }
        : {}),
    }
    const container = (name: string): object => ({
      name,
      image:
        'registry.example.com/some/team/some-service@sha256:0000000000000000000000000000000000000000000000000000000000000000',
      env: Array.from({ length: 12 }, (_, item) => ({
        name: `SETTING_${item}`,
        value: `some value of setting number ${item}`,
      })),
      resources: {
        requests: { cpu: `${50 + (workload % 8) * 50}m`, memory: '128Mi' },
        limits: { memory: '256Mi' },
      },
      ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
      volumeMounts: [
        {
          name: 'kube-api-access',
          mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
          readOnly: true,
        },
      ],
    })
    return {
      metadata: metadata(
        { name: `workload-${workload}-${index}`, index, version },
        {
          namespace: `team-${workload % 20}`,
          labels,
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'ReplicaSet',
              name: `workload-${workload}`,
              uid: `owner-${workload}`,
              controller: true,
            },
          ],
        },
      ),
      spec: {
        containers: [container('main'), container('proxy')],
        ...(isPending ? {} : { nodeName: nodeName((index * 7919) % nodes) }),
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        tolerations: [
          {
            key: 'node.kubernetes.io/not-ready',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
          {
            key: 'node.kubernetes.io/unreachable',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
        ],
        ...(workload % 3 === 0
          ? {
              topologySpreadConstraints: [
                {
                  maxSkew: 1,
                  topologyKey: 'topology.kubernetes.io/zone',
                  whenUnsatisfiable: 'ScheduleAnyway',
                  labelSelector: { matchLabels: { 'app.kubernetes.io/name': `workload-${workload}` } },
                },
              ],
            }
          : {}),
        priority: 0,
        schedulerName: 'default-scheduler',
        volumes: [
          {
            name: 'kube-api-access',
            projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }] },
          },
        ],
      },
      status: isPending
        ? {
            phase: 'Pending',
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'Unschedulable',
                message: '0/2000 nodes are available',
                lastTransitionTime: '2026-01-01T00:00:05Z',
              },
            ],
          }
        : {
            phase: 'Running',
            conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
              type,
              status: 'True',
              lastTransitionTime: '2026-01-01T00:00:05Z',
              lastProbeTime: null,
            })),
            containerStatuses: ['main', 'proxy'].map((name) => ({
              name,
              ready: true,
              restartCount: version % 3,
              state: { running: { startedAt: '2026-01-01T00:00:05Z' } },
            })),
            podIP: `10.${index & 127}.${(index >> 7) & 255}.9`,
          },
    }
  }
}

export const node: Make = (index, version) => ({
  metadata: metadata(
    { name: nodeName(index), index, version },
    {
      labels: {
        'kubernetes.io/hostname': nodeName(index),
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': `class-${index % 12}`,
        'topology.kubernetes.io/zone': `rack-${index % 6}`,
        'karpenter.sh/nodepool': `pool-${index % 4}`,
        'karpenter.sh/capacity-type': 'on-demand',
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
      },
      annotations: {
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
      finalizers: ['karpenter.sh/termination'],
    },
  ),
  spec: { providerID: `kpssh://kpssh-system/host-${index}`, podCIDR: `10.${index & 255}.0.0/24` },
  status: {
    capacity: { cpu: '16', memory: '65536Mi', 'ephemeral-storage': '100Gi', pods: '110' },
    allocatable: { cpu: '15800m', memory: '64000Mi', 'ephemeral-storage': '90Gi', pods: '110' },
    conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
      type,
      status: type === 'Ready' ? 'True' : 'False',
      reason: `Kubelet${type}`,
      message: 'kubelet is posting its status and has nothing else to say about it',
      lastHeartbeatTime: '2026-01-01T00:00:05Z',
      lastTransitionTime: '2026-01-01T00:00:05Z',
    })),
    addresses: [
      { type: 'InternalIP', address: `10.0.${index >> 8}.${index & 255}` },
      { type: 'Hostname', address: nodeName(index) },
    ],
    images: Array.from({ length: 30 }, (_, item) => ({
      names: [`registry.example.com/image-${item}@sha256:${'0'.repeat(64)}`],
      sizeBytes: 100_000_000 + item,
    })),
    nodeInfo: { kernelVersion: '6.1.0', osImage: 'Debian GNU/Linux 12', kubeletVersion: 'v1.36.2' },
  },
})

export const lease: Make = (index, version) => ({
  metadata: metadata({ name: nodeName(index), index, version }, { namespace: 'kube-node-lease' }),
  spec: {
    holderIdentity: nodeName(index),
    leaseDurationSeconds: 40,
    renewTime: new Date(1_767_225_600_000 + version * 10).toISOString().replace('Z', '000Z'),
  },
})
