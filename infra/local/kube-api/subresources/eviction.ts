// A delete that asks the pod's disruption budget first.
import type { ApiContext } from '../api-context.ts'
import type { ApiResponse } from '../api-request.ts'
import { countBudget, isHealthy, selectsPod } from '../disruption-budgets.ts'
import { isRecord, listOf, recordOf, textOf } from '../json.ts'
import { timestamp, type KubeObject } from '../kube-object.ts'
import { collectionOf } from '../resource-type.ts'
import { badRequest, StatusError } from '../status-error.ts'
import { checkPreconditions, deleteObject, readDeleteOptions, type Target } from '../verbs/delete.ts'

export function evictPod(context: ApiContext, target: Target, body: unknown): ApiResponse {
  const { type, current: pod } = target
  if (!isRecord(body)) throw badRequest('the object provided is unrecognized (must be of type Eviction)')
  const name = textOf(recordOf(body['metadata'])['name'])
  if (name !== '' && name !== pod.metadata.name) {
    throw badRequest('name in URL does not match name in Eviction object')
  }
  const options = readDeleteOptions(body['deleteOptions'], new URLSearchParams())
  checkPreconditions(target, options)
  if (!isFree(pod)) checkBudgets(context, pod)
  const isDryRun = options.dryRun?.includes('All') === true
  const marked = isDryRun ? pod : context.store.put(collectionOf(type), withDisruptionTarget(pod, context))
  deleteObject(context, { type, current: marked }, { ...options, preconditions: null })
  return {
    kind: 'json',
    status: 201,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  }
}

/** Pods that do not run, or end already, are nobody's loss. */
function isFree(pod: KubeObject): boolean {
  const phase = textOf(recordOf(pod['status'])['phase'])
  return pod.metadata.deletionTimestamp !== undefined || ['Pending', 'Succeeded', 'Failed'].includes(phase)
}

function checkBudgets(context: ApiContext, pod: KubeObject): void {
  const { namespace } = pod.metadata
  const budgets = context.store
    .list('policy/poddisruptionbudgets', namespace)
    .filter((budget) => selectsPod(budget, pod))
  const [budget] = budgets
  if (!budget) return
  if (budgets.length > 1) {
    const text =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new StatusError({ code: 500, reason: 'InternalError', message: text })
  }
  const count = countBudget(budget, context.store.list('/pods', namespace))
  if (count.disruptionsAllowed > 0 || mayGoUnhealthy(budget, pod, count)) return
  const message = `The disruption budget ${budget.metadata.name} needs ${String(count.desiredHealthy)} healthy pods and has ${String(count.currentHealthy)} currently`
  throw new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }] },
  })
}

/** A pod that is not healthy does not count: it may go if the budget says so, or if it is kept without it. */
function mayGoUnhealthy(
  budget: KubeObject,
  pod: KubeObject,
  count: { readonly currentHealthy: number; readonly desiredHealthy: number },
): boolean {
  if (isHealthy(pod)) return false
  if (recordOf(budget['spec'])['unhealthyPodEvictionPolicy'] === 'AlwaysAllow') return true
  return count.desiredHealthy > 0 && count.currentHealthy >= count.desiredHealthy
}

function withDisruptionTarget(pod: KubeObject, context: ApiContext): KubeObject {
  const status = recordOf(pod['status'])
  const others = listOf(status['conditions']).filter((item) => recordOf(item)['type'] !== 'DisruptionTarget')
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock.nowMs()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  return { ...pod, status: { ...status, conditions: [...others, condition] } }
}
