import { z } from 'zod'
import { NodeSelector, NodeSelectorTerm } from './node-selector.ts'
import { Condition, ObjectMeta } from './object-meta.ts'
import { ResourceList } from './resource-list.ts'
import { Toleration } from './toleration.ts'

const Requirements = z.object({ requests: ResourceList.optional(), limits: ResourceList.optional() })

export const Container = z.object({
  name: z.string(),
  resources: Requirements.optional(),
  ports: z
    .array(
      z.object({
        containerPort: z.int().optional(),
        hostPort: z.int().optional(),
        hostIP: z.string().optional(),
        protocol: z.string().optional(),
      }),
    )
    .optional(),
  /** `Always` on an init container makes it a sidecar. */
  restartPolicy: z.string().optional(),
})
export type Container = Readonly<z.infer<typeof Container>>

/** A rule that only the scheduling code of its own topic reads: carried along unchanged. */
const Passthrough = z.looseObject({})

export const NodeAffinity = z.object({
  requiredDuringSchedulingIgnoredDuringExecution: NodeSelector.optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.object({ weight: z.int(), preference: NodeSelectorTerm }))
    .optional(),
})
export type NodeAffinity = Readonly<z.infer<typeof NodeAffinity>>

export const PodSpec = z.object({
  nodeName: z.string().optional(),
  schedulerName: z.string().optional(),
  containers: z.array(Container),
  initContainers: z.array(Container).optional(),
  /** Pod-level resources: where present they override the sum over containers. */
  resources: Requirements.optional(),
  overhead: ResourceList.optional(),
  nodeSelector: z.record(z.string(), z.string()).optional(),
  affinity: z
    .object({
      nodeAffinity: NodeAffinity.optional(),
      podAffinity: Passthrough.optional(),
      podAntiAffinity: Passthrough.optional(),
    })
    .optional(),
  tolerations: z.array(Toleration).optional(),
  topologySpreadConstraints: z.array(Passthrough).optional(),
  priority: z.int().optional(),
  priorityClassName: z.string().optional(),
  terminationGracePeriodSeconds: z.int().optional(),
})
export type PodSpec = Readonly<z.infer<typeof PodSpec>>

export const Pod = z.object({
  metadata: ObjectMeta,
  spec: PodSpec,
  status: z
    .object({
      phase: z.string().optional(),
      conditions: z.array(Condition).optional(),
      nominatedNodeName: z.string().optional(),
      startTime: z.string().optional(),
    })
    .optional(),
})
export type Pod = Readonly<z.infer<typeof Pod>>

export const HostPort = z.object({
  /** Empty for every address. */
  hostIP: z.string(),
  port: z.int(),
  protocol: z.string(),
})
export type HostPort = Readonly<z.infer<typeof HostPort>>

/** What scheduling must know of a pod. `podNeedsOf` makes it. */
export const PodNeeds = z.object({
  /** What the scheduler reserves, `pods: 1` included. */
  requests: ResourceList,
  nodeSelector: z.record(z.string(), z.string()).default({}),
  nodeAffinity: NodeAffinity.optional(),
  tolerations: z.array(Toleration).default([]),
  hostPorts: z.array(HostPort).default([]),
  podAffinity: Passthrough.optional(),
  podAntiAffinity: Passthrough.optional(),
  topologySpreadConstraints: z.array(Passthrough).default([]),
})
export type PodNeeds = Readonly<z.infer<typeof PodNeeds>>
