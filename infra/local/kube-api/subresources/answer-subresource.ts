import type { ApiContext } from '../api-context.ts'
import type { Address, ApiRequest, ApiResponse, Verb } from '../api-request.ts'
import { recordOf } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { collectionOf, type ResourceType } from '../resource-type.ts'
import { methodNotAllowed, notFound } from '../status-error.ts'
import { patchedObject } from '../verbs/patch.ts'
import { readBody } from '../verbs/read-body.ts'
import { isFinished, updateObject } from '../verbs/update.ts'
import { bindPod } from './binding.ts'
import { evictPod } from './eviction.ts'
import { scaleOf, withScale } from './scale.ts'

export interface SubresourceCall {
  readonly request: ApiRequest
  readonly address: Address
  readonly type: ResourceType
  readonly subresource: string
  readonly verb: Verb
}

export function answerSubresource(context: ApiContext, call: SubresourceCall): ApiResponse {
  const { address, type, request, verb, subresource } = call
  const name = address.name ?? ''
  const object = context.store.get(collectionOf(type), address.namespace ?? '', name)
  if (!object) throw notFound(type, name)
  const body = (): unknown => readBody(request.body, request.contentType, type.kind)
  switch (`${verb} ${subresource}`) {
    case 'create eviction':
      return evictPod(context, type, object, body())
    case 'create binding':
      return bindPod(context, type, object, body())
    case 'update finalize':
      return ok(finalized(context, type, object, body()))
    case 'get approval':
      return ok(object)
    case 'update approval':
    case 'patch approval':
      return ok(approved(context, call, object))
    case 'get scale':
      return ok(scaleOf(object))
    case 'update scale':
    case 'patch scale':
      return ok(scaled(context, call, object))
    default:
      throw methodNotAllowed()
  }
}

function ok(body: KubeObject): ApiResponse {
  return { kind: 'json', status: 200, body }
}

/** What the client wants `shown` to become. */
function wanted({ verb, type, request }: SubresourceCall, shown: KubeObject): unknown {
  const { body, contentType } = request
  return verb === 'patch'
    ? patchedObject(type, shown, { body, contentType })
    : readBody(body, contentType, shown.kind)
}

function finalized(context: ApiContext, type: ResourceType, object: KubeObject, body: unknown): KubeObject {
  const finalizers = recordOf(recordOf(body)['spec'])['finalizers'] ?? []
  const next = { ...object, spec: { ...recordOf(object['spec']), finalizers } }
  return isFinished(type, next)
    ? context.store.remove(collectionOf(type), next)
    : context.store.put(collectionOf(type), next)
}

/** Approval decides, and so may write conditions only. */
function approved(context: ApiContext, call: SubresourceCall, object: KubeObject): KubeObject {
  const { conditions } = recordOf(recordOf(wanted(call, object))['status'])
  const status = { ...recordOf(object['status']), conditions: conditions ?? [] }
  return context.store.put(collectionOf(call.type), { ...object, status })
}

function scaled(context: ApiContext, call: SubresourceCall, object: KubeObject): KubeObject {
  const body = withScale(object, wanted(call, scaleOf(object)))
  const options = {
    user: call.request.user,
    address: { ...call.address, subresource: '' },
    mustNameVersion: false,
  }
  return scaleOf(updateObject(context, call.type, { current: object, body }, options))
}
