// What is below an object besides its status: each entry is one thing a client may ask there.
import type { ApiContext } from '../api-context.ts'
import type { Address, ApiRequest, ApiResponse, Verb } from '../api-request.ts'
import { recordOf } from '../json.ts'
import type { KubeObject } from '../kube-object.ts'
import { collectionOf, type ResourceType } from '../resource-type.ts'
import { methodNotAllowed, notFound } from '../status-error.ts'
import { patchedObject } from '../verbs/patch.ts'
import { readBody } from '../verbs/read-body.ts'
import { storeChange, updateObject } from '../verbs/update.ts'
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

interface Asked extends SubresourceCall {
  readonly current: KubeObject
}

type Answer = (context: ApiContext, asked: Asked) => ApiResponse

const answers: Readonly<Record<string, Answer>> = {
  'create eviction': (context, asked) => evictPod(context, asked, bodyOf(asked)),
  'create binding': (context, asked) => bindPod(context, asked, bodyOf(asked)),
  'update finalize': (context, asked) => ok(finalized(context, asked)),
  'get approval': (_context, { current }) => ok(current),
  'update approval': (context, asked) => ok(approved(context, asked)),
  'patch approval': (context, asked) => ok(approved(context, asked)),
  'get scale': (_context, { current }) => ok(scaleOf(current)),
  'update scale': (context, asked) => ok(scaled(context, asked)),
  'patch scale': (context, asked) => ok(scaled(context, asked)),
}

export function answerSubresource(context: ApiContext, call: SubresourceCall): ApiResponse {
  const { address, type, verb, subresource } = call
  const answer = answers[`${verb} ${subresource}`]
  if (!answer) throw methodNotAllowed()
  const name = address.name ?? ''
  const current = context.store.get(collectionOf(type), address.namespace ?? '', name)
  if (!current) throw notFound(type, name)
  return answer(context, { ...call, current })
}

function ok(body: KubeObject): ApiResponse {
  return { kind: 'json', status: 200, body }
}

function bodyOf({ request, type }: Asked): unknown {
  return readBody(request.body, request.contentType, type.kind)
}

/** What the client wants `shown` to become. */
function wanted(asked: Asked, shown: KubeObject): unknown {
  if (asked.verb !== 'patch') return bodyOf(asked)
  const { body, contentType } = asked.request
  return patchedObject(asked.type, shown, { body, contentType })
}

function finalized(context: ApiContext, asked: Asked): KubeObject {
  const { type, current } = asked
  const finalizers = recordOf(recordOf(bodyOf(asked))['spec'])['finalizers'] ?? []
  return storeChange(context, type, { ...current, spec: { ...recordOf(current['spec']), finalizers } })
}

/** Approval decides, and so may write conditions only. */
function approved(context: ApiContext, asked: Asked): KubeObject {
  const { type, current } = asked
  const { conditions } = recordOf(recordOf(wanted(asked, current))['status'])
  const status = { ...recordOf(current['status']), conditions: conditions ?? [] }
  return context.store.put(collectionOf(type), { ...current, status })
}

function scaled(context: ApiContext, asked: Asked): KubeObject {
  const { type, current, request } = asked
  const address = { ...asked.address, subresource: 'scale' }
  const body = withScale(current, wanted(asked, scaleOf(current)))
  return scaleOf(
    updateObject(context, type, { current, body, address, user: request.user, mustNameVersion: false }),
  )
}
