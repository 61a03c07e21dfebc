import type { Kubernetes } from '../../kubernetes/ports.ts'
import { evictPod } from './evict-pod.ts'
import { parsedAnswer } from './read-object.ts'
import { apiVersionOf, resourcePath, thing } from './resource-path.ts'
import type { RestClient } from './rest-client.ts'
import type { RestAnswer } from './rest-exchange.ts'
import { invalidMessage, statusError } from './translate-error.ts'

export function makeWriter(rest: RestClient): Pick<Kubernetes, 'create' | 'patch' | 'delete' | 'evict'> {
  return {
    create: makeCreate(rest),
    patch: makePatch(rest),
    delete: makeDelete(rest),
    evict: (pod) => evictPod(rest, pod),
  }
}

function makeCreate(rest: RestClient): Kubernetes['create'] {
  return async (resource, object, namespace) => {
    const doing = `create ${thing(resource, nameIn(object), namespace)}`
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object }
    const answer = await rest.call({
      method: 'POST',
      path: resourcePath(resource, { namespace }),
      body,
      doing,
    })
    if (answer.status === 409) return { kind: 'exists' }
    if (isInvalid(answer)) return { kind: 'invalid', message: invalidMessage(resource.kind, answer) }
    if (answer.status !== 201 && answer.status !== 200) throw statusError(doing, answer)
    return { kind: 'created', object: parsedAnswer(resource, answer.body, doing) }
  }
}

function makePatch(rest: RestClient): Kubernetes['patch'] {
  // The port's four parameters are the resource, its name, the patch and where it applies.
  // eslint-disable-next-line max-params -- the port decides
  return async (resource, name, patch, options = {}) => {
    const doing = `patch ${thing(resource, name, options.namespace)}`
    const path = resourcePath(resource, { name, ...options })
    const contentType = 'application/merge-patch+json'
    const answer = await rest.call({ method: 'PATCH', path, body: patch, contentType, doing })
    if (answer.status === 404) return { kind: 'not-found' }
    if (answer.status === 409) return { kind: 'conflict' }
    if (isInvalid(answer)) return { kind: 'invalid', message: invalidMessage(resource.kind, answer) }
    if (answer.status !== 200) throw statusError(doing, answer)
    return { kind: 'patched', object: parsedAnswer(resource, answer.body, doing) }
  }
}

function makeDelete(rest: RestClient): Kubernetes['delete'] {
  return async (resource, name, options = {}) => {
    const { namespace, uid, resourceVersion, gracePeriodSeconds } = options
    const doing = `delete ${thing(resource, name, namespace)}`
    const isConditional = uid !== undefined || resourceVersion !== undefined
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      gracePeriodSeconds,
      preconditions: isConditional ? { uid, resourceVersion } : undefined,
    }
    const answer = await rest.call({
      method: 'DELETE',
      path: resourcePath(resource, { name, namespace }),
      body,
      doing,
    })
    if (answer.status === 404) return 'not-found'
    if (answer.status === 409) return 'conflict'
    if (answer.status !== 200 && answer.status !== 202) throw statusError(doing, answer)
    return 'deleted'
  }
}

function isInvalid(answer: RestAnswer): boolean {
  return answer.status === 422 || answer.status === 400
}

function nameIn(object: object): string {
  const metadata: unknown = 'metadata' in object ? object.metadata : undefined
  if (typeof metadata !== 'object' || metadata === null) return ''
  if ('name' in metadata && typeof metadata.name === 'string') return metadata.name
  return 'generateName' in metadata && typeof metadata.generateName === 'string'
    ? `${metadata.generateName}*`
    : ''
}
