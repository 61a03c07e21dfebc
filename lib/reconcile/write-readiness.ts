// Readiness of node classes and pools, before anything is launched from them; and the finalizer that keeps a class while
// NodeClaims refer to it.
import {
  nodeClassConditions,
  withCondition,
  withInitialConditions,
  type ConditionChange,
} from '../api/condition.ts'
import { annotations, finalizers, nodePoolHashVersion } from '../api/names.ts'
import { nodePoolHash } from '../api/node-pool-hash.ts'
import type { NodePool } from '../api/node-pool.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { nodePools, sshNodeClasses } from '../kubernetes/resources.ts'
import type { ClusterWorld } from './cluster-world.ts'
import type { ClassVerdict } from './judge-class.ts'
import { planPoolStatus } from './judge-pool.ts'
import type { ReconcileCounts } from './reconcile.ts'
import type { ClusterScope } from './reconcile-deps.ts'

export async function writeReadiness(
  scope: ClusterScope,
  world: ClusterWorld,
): Promise<{ readonly world: Pick<ClusterWorld, 'nodePools'>; readonly counts: ReconcileCounts }> {
  let classWrites = 0
  for (const nodeClass of world.nodeClasses.values()) {
    const verdict = world.verdicts.get(nodeClass.metadata.name)
    if (verdict !== undefined && (await writeClass(scope, world, { nodeClass, verdict }))) classWrites += 1
  }
  const pools: NodePool[] = []
  for (const pool of world.nodePools) pools.push(await writePool(scope, world, pool))
  return { world: { nodePools: pools }, counts: { classWrites } }
}

interface JudgedClass {
  readonly nodeClass: SSHNodeClass
  readonly verdict: ClassVerdict
}

async function writeClass(scope: ClusterScope, world: ClusterWorld, judged: JudgedClass): Promise<boolean> {
  const { nodeClass } = judged
  const nowMs = scope.deps.clock.nowMs()
  const { name } = nodeClass.metadata
  const held = planClassFinalizers(nodeClass, world)
  if (held !== undefined) {
    const { resourceVersion } = nodeClass.metadata
    const outcome = await scope.kubernetes.patch(sshNodeClasses, name, {
      metadata: { resourceVersion, finalizers: held },
    })
    if (outcome.kind !== 'patched') return false
  }
  const status = planClassStatus(judged, nowMs)
  if (status === undefined) return held !== undefined
  await scope.kubernetes.patch(sshNodeClasses, name, { status }, { subresource: 'status' })
  await announce(scope, judged)
  return true
}

/** The finalizers the class should have; undefined when it has them. */
export function planClassFinalizers(
  nodeClass: SSHNodeClass,
  world: ClusterWorld,
): readonly string[] | undefined {
  const present = nodeClass.metadata.finalizers ?? []
  const isHeld = present.includes(finalizers.nodeClass)
  if (nodeClass.metadata.deletionTimestamp === undefined) {
    return isHeld ? undefined : [...present, finalizers.nodeClass]
  }
  const isReferenced = world.nodeClaims.some(
    (each) => each.spec.nodeClassRef.name === nodeClass.metadata.name,
  )
  return isHeld && !isReferenced ? present.filter((each) => each !== finalizers.nodeClass) : undefined
}

function planClassStatus({ nodeClass, verdict }: JudgedClass, nowMs: number): object | undefined {
  const context = { set: nodeClassConditions, object: nodeClass.metadata, nowMs }
  const before = nodeClass.status?.conditions ?? []
  const change: ConditionChange = { type: 'Ready', ...verdict }
  const conditions = withCondition(withInitialConditions(before, context), change, context)
  return conditions === before ? undefined : { conditions }
}

async function announce(scope: ClusterScope, { nodeClass, verdict }: JudgedClass): Promise<void> {
  if (verdict.status === 'True') return
  const { name, uid } = nodeClass.metadata
  await scope.deps.events.record({
    cluster: scope.cluster,
    object: { apiVersion: 'karpenter.dklesev.github.io/v1beta1', kind: 'SSHNodeClass', name, uid },
    type: 'Warning',
    reason: verdict.reason,
    message: verdict.message,
  })
}

async function writePool(scope: ClusterScope, world: ClusterWorld, pool: NodePool): Promise<NodePool> {
  const className = pool.spec.template.spec.nodeClassRef.name
  const object = world.nodeClasses.get(className)
  const verdict = world.verdicts.get(className)
  const nowMs = scope.deps.clock.nowMs()
  const judged = object && verdict && { object, verdict }
  const hash = {
    [annotations.nodePoolHash]: nodePoolHash(pool),
    [annotations.nodePoolHashVersion]: nodePoolHashVersion,
  }
  if (Object.entries(hash).some(([key, value]) => pool.metadata.annotations?.[key] !== value)) {
    await scope.kubernetes.patch(nodePools, pool.metadata.name, { metadata: { annotations: hash } })
  }
  const status = planPoolStatus(pool, judged, { nodeClaims: world.nodeClaims, nowMs })
  if (status === undefined) return pool
  const outcome = await scope.kubernetes.patch(
    nodePools,
    pool.metadata.name,
    { status },
    { subresource: 'status' },
  )
  return outcome.kind === 'patched' ? outcome.object : pool
}
