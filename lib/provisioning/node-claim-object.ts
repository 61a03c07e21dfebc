// The NodeClaim that is written for a draft.
import { addAmounts, formatAmounts } from '../api/amounts.ts'
import {
  annotations as annotationNames,
  capacityTypeOnDemand,
  karpenterApiVersion,
  labels as labelNames,
  nodePoolHashVersion,
} from '../api/names.ts'
import type { NodeClaimSpec } from '../api/node-claim.ts'
import type { Requirement } from '../api/node-pool.ts'
import { nodePoolHash } from '../api/node-pool-hash.ts'
import type { OwnerReference } from '../api/object-meta.ts'
import { leastOverhead, type Draft } from './draft.ts'
import { combine, formatRequirements, wellKnownLabels, type Requirements } from './requirements.ts'
import { hasValue, oneOf, type ValueSet } from './value-set.ts'

/** A NodeClaim without its name. */
export interface NodeClaimBody {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
    readonly ownerReferences: readonly OwnerReference[]
  }
  readonly spec: NodeClaimSpec
}

export function nodeClaimBody(draft: Draft): NodeClaimBody {
  const { pool } = draft.template
  const { metadata, spec } = pool.spec.template
  const { taints, startupTaints, terminationGracePeriod, expireAfter, nodeClassRef } = spec
  return {
    metadata: {
      labels: { ...metadata?.labels, ...ownLabels(draft), ...customLabels(draft.requirements) },
      annotations: {
        ...metadata?.annotations,
        [annotationNames.nodePoolHash]: nodePoolHash(pool),
        [annotationNames.nodePoolHashVersion]: nodePoolHashVersion,
        [annotationNames.promisedPods]: draft.demands.map(({ pod }) => pod.uid).join(','),
      },
      ownerReferences: [
        {
          apiVersion: karpenterApiVersion,
          kind: 'NodePool',
          name: pool.metadata.name,
          uid: pool.metadata.uid,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeClassRef,
      requirements: requirementsOfDraft(draft),
      resources: { requests: formatAmounts(addAmounts(draft.requests, leastOverhead(draft))) },
      ...(taints ? { taints } : {}),
      ...(startupTaints ? { startupTaints } : {}),
      ...(terminationGracePeriod ? { terminationGracePeriod } : {}),
      expireAfter,
    },
  }
}

/** The manifest to create. The name is the Node's too: at most 63 characters, as the label kubernetes.io/hostname allows. */
export function nodeClaimManifest(body: NodeClaimBody, suffix: string): object {
  const pool = body.metadata.labels[labelNames.nodePool] ?? ''
  const name = `${pool.slice(0, 62 - suffix.length)}-${suffix}`
  return {
    apiVersion: karpenterApiVersion,
    kind: 'NodeClaim',
    metadata: { name, ...body.metadata },
    spec: body.spec,
  }
}

function ownLabels({ template }: Draft): Readonly<Record<string, string>> {
  return { [labelNames.nodePool]: template.name, [labelNames.nodeClass]: template.nodeClass }
}

/** One value for each label that no host fills in: what its Node will have. */
function customLabels(requirements: Requirements): Readonly<Record<string, string>> {
  const entries = [...requirements]
    .filter(([key]) => !wellKnownLabels.has(key))
    .flatMap(([key, set]) => {
      const value = anyValueOf(set)
      return value === undefined ? [] : [[key, value] as const]
    })
  return Object.fromEntries(entries)
}

/** The first that is listed, or the least positive integer that is allowed. */
function anyValueOf(set: ValueSet): string | undefined {
  if (!set.isComplement) return [...set.values].sort()[0]
  const least = set.atLeast ?? 1n
  const tries = Array.from({ length: set.values.size + 1 }, (_, index) => `${least + BigInt(index)}`)
  return tries.find((value) => hasValue(set, value))
}

/** Host classes in the order of size, so that the cheapest comes first. */
function requirementsOfDraft(draft: Draft): Requirement[] {
  const classes = [...new Set(draft.offers.map(({ host }) => host.hostClass))]
  const narrowed = combine(
    draft.requirements,
    new Map([
      [labelNames.instanceType, oneOf(classes)],
      [labelNames.capacityType, oneOf([capacityTypeOnDemand])],
    ]),
  )
  return formatRequirements(narrowed).map((requirement) =>
    requirement.key === labelNames.instanceType ? { ...requirement, values: classes } : requirement,
  )
}
