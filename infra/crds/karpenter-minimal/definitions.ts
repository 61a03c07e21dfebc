// Stand-ins for Karpenter's own definitions, offered where none are installed: the fields that are used here, with names,
// defaults and meanings as Karpenter has them.
import { karpenterGroup, karpenterVersion, labels } from '../../../lib/api/names.ts'
import { ageColumn, readyColumn, type Definition } from '../definition.ts'
import { NodeClaimSpec, NodeClaimStatus } from './node-claim.ts'
import { NodePoolSpec, NodePoolStatus } from './node-pool.ts'

const karpenter = {
  group: karpenterGroup,
  version: karpenterVersion,
  scope: 'Cluster',
  shortNames: [],
} as const

function labelPath(key: string): string {
  return `.metadata.labels.${key.replaceAll('.', '\\.')}`
}

const nodePool: Definition = {
  ...karpenter,
  file: 'karpenter-minimal/nodepools.yaml',
  kind: 'NodePool',
  plural: 'nodepools',
  singular: 'nodepool',
  description: 'Nodes of one kind, made and given up as pods need them.',
  columns: [
    { name: 'NodeClass', type: 'string', jsonPath: '.spec.template.spec.nodeClassRef.name' },
    { name: 'Nodes', type: 'integer', jsonPath: '.status.nodes' },
    readyColumn,
    ageColumn,
    { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', priority: 1 },
    { name: 'CPU', type: 'string', jsonPath: '.status.resources.cpu', priority: 1 },
    { name: 'Memory', type: 'string', jsonPath: '.status.resources.memory', priority: 1 },
  ],
  spec: NodePoolSpec,
  isSpecRequired: true,
  status: NodePoolStatus,
}

const nodeClaim: Definition = {
  ...karpenter,
  file: 'karpenter-minimal/nodeclaims.yaml',
  kind: 'NodeClaim',
  plural: 'nodeclaims',
  singular: 'nodeclaim',
  description: 'One Node that is wanted, from the decision to its end.',
  columns: [
    { name: 'Type', type: 'string', jsonPath: labelPath(labels.instanceType) },
    { name: 'Capacity', type: 'string', jsonPath: labelPath(labels.capacityType) },
    { name: 'Zone', type: 'string', jsonPath: labelPath(labels.zone) },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName' },
    readyColumn,
    ageColumn,
    { name: 'ImageID', type: 'string', jsonPath: '.status.imageID', priority: 1 },
    { name: 'ID', type: 'string', jsonPath: '.status.providerID', priority: 1 },
    { name: 'NodePool', type: 'string', jsonPath: labelPath(labels.nodePool), priority: 1 },
    { name: 'NodeClass', type: 'string', jsonPath: '.spec.nodeClassRef.name', priority: 1 },
    {
      name: 'Drifted',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Drifted")].status',
      priority: 1,
    },
  ],
  spec: NodeClaimSpec,
  isSpecRequired: true,
  status: NodeClaimStatus,
}

export const karpenterDefinitions: readonly Definition[] = [nodePool, nodeClaim]
