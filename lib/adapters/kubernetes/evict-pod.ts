import type { EvictOutcome } from '../../kubernetes/ports.ts'
import { type AnyResource, resourcePath, thing } from './resource-path.ts'
import type { RestClient } from './rest-client.ts'
import type { RestAnswer } from './rest-exchange.ts'
import { isDisruptionBudget, statusOf } from './status.ts'
import { statusError } from './translate-error.ts'

const pods: AnyResource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true }

/** The uid is a precondition: a pod of the same name that came later is left alone. */
export async function evictPod(
  rest: RestClient,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
): Promise<EvictOutcome> {
  const doing = `evict ${thing(pods, name, namespace)}`
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    deleteOptions: { preconditions: { uid } },
  }
  const path = resourcePath(pods, { namespace, name, subresource: 'eviction' })
  const answer = await rest.call({ method: 'POST', path, body, doing })
  if (answer.status === 200 || answer.status === 201) return { kind: 'evicted' }
  if (answer.status === 404 || answer.status === 409) return { kind: 'gone' }
  if (isBlocked(answer)) return { kind: 'blocked', message: statusOf(answer.body)?.message ?? '' }
  throw statusError(doing, answer)
}

/** Two budgets over one pod are a 500 that no retry mends: only its words tell it from a failing server. */
function isBlocked(answer: RestAnswer): boolean {
  if (answer.status === 429) return isDisruptionBudget(answer.body)
  return (
    answer.status === 500 &&
    (statusOf(answer.body)?.message ?? '').includes('more than one PodDisruptionBudget')
  )
}
