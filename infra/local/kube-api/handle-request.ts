// One request from address to answer. Everything that is refused is a StatusError; anything else that is thrown is a bug of
// the server and becomes a 500 without ending it.
import type { ApiContext } from './api-context.ts'
import {
  readAddress,
  verbOf,
  type Address,
  type ApiRequest,
  type ApiResponse,
  type Verb,
} from './api-request.ts'
import { authorize } from './authorize.ts'
import { answerDiscovery } from './discovery.ts'
import type { Faults } from './faults.ts'
import type { KubeObject } from './kube-object.ts'
import { collectionOf, type ResourceType } from './resource-type.ts'
import { badRequest, methodNotAllowed, notFound, StatusError } from './status-error.ts'
import { answerSubresource } from './subresources/answer-subresource.ts'
import { presenterFor, type Presenter } from './present.ts'
import { createObject } from './verbs/create.ts'
import { deletedStatus, deleteObject, readDeleteOptions, type DeleteOptions } from './verbs/delete.ts'
import { inVersion, listObjects, matcherFor } from './verbs/list.ts'
import { patchedObject } from './verbs/patch.ts'
import { readBody } from './verbs/read-body.ts'
import { updateObject } from './verbs/update.ts'
import type { LiveWatch, WatchEvent } from './verbs/live-watch.ts'
import { watchObjects } from './verbs/watch.ts'

export interface ApiHandler {
  readonly context: ApiContext
  readonly live: Set<LiveWatch>
  readonly faults: Faults
}

interface Call {
  readonly handler: ApiHandler
  readonly request: ApiRequest
  readonly address: Address
  readonly type: ResourceType
  readonly presenter: Presenter
}

export function handleRequest(handler: ApiHandler, request: ApiRequest): ApiResponse {
  try {
    return answerDiscovery(handler.context.registry, request) ?? answerResource(handler, request)
  } catch (error) {
    const status = error instanceof StatusError ? error : internalError(error)
    return { kind: 'json', status: status.code, body: status.toStatus() }
  }
}

function internalError(error: unknown): StatusError {
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`
  return new StatusError({ code: 500, reason: 'InternalError', message })
}

function answerResource(handler: ApiHandler, request: ApiRequest): ApiResponse {
  const { context } = handler
  const address = readAddress(request.url)
  const verb = address && verbOf(request.method, address)
  if (!address || !verb) return pageNotFound
  authorize(request.user, verb, address)
  const type = typeAt(context, address)
  if (!type) return pageNotFound
  handler.faults.check(verb, type)
  const { subresource } = address
  if (subresource !== undefined && subresource !== 'status') {
    if (!type.subresources.includes(subresource)) return pageNotFound
    return answerSubresource(context, { request, address, type, subresource, verb })
  }
  if (subresource === 'status' && !hasStatusVerb(type, verb)) return pageNotFound
  const presenter = presenterFor(type, request.accept, context.clock.nowMs())
  return answers[verb]({ handler, request, address, type, presenter })
}

function typeAt({ registry }: ApiContext, address: Address): ResourceType | undefined {
  const type = registry.find(address.group, address.version, address.plural)
  return address.namespace !== undefined && type?.isNamespaced === false ? undefined : type
}

function hasStatusVerb(type: ResourceType, verb: Verb): boolean {
  return type.hasStatus && ['get', 'update', 'patch'].includes(verb)
}

const answers: Readonly<Record<Verb, (call: Call) => ApiResponse>> = {
  get: (call) => shown(call, 200, inVersion(found(call), call.type)),
  list: listing,
  watch: watching,
  create: creating,
  update: updating,
  patch: patching,
  delete: deleting,
  deletecollection: deletingCollection,
}

const pageNotFound: ApiResponse = { kind: 'text', status: 404, body: '404 page not found\n' }

function stored({ handler, address, type }: Call): KubeObject | undefined {
  return handler.context.store.get(collectionOf(type), address.namespace ?? '', address.name ?? '')
}

function found(call: Call): KubeObject {
  const object = stored(call)
  if (!object) throw notFound(call.type, call.address.name ?? '')
  return object
}

function shown({ presenter }: Call, status: number, object: KubeObject): ApiResponse {
  return { kind: 'json', status, body: presenter.object(object) }
}

function listing({ handler, address, type, presenter }: Call): ApiResponse {
  return { kind: 'json', status: 200, body: presenter.list(listObjects(handler.context, type, address)) }
}

function watching({ handler, address, type, presenter }: Call): ApiResponse {
  const present = (event: WatchEvent): unknown => presenter.event(event)
  const open = watchObjects(handler.context, { type, address, present }, handler.live)
  return {
    kind: 'stream',
    open: (sink) => {
      const write = (event: unknown): void => {
        if (!handler.faults.isBlackholed(type)) sink.write(event)
      }
      open({ ...sink, write })
    },
  }
}

function creating(call: Call): ApiResponse {
  const { handler, address, type, request } = call
  if (address.name !== undefined) throw methodNotAllowed()
  const write = { body: bodyOf(call), user: request.user, address }
  return shown(call, 201, createObject(handler.context, type, write))
}

function bodyOf({ request, type }: Call): unknown {
  return readBody(request.body, request.contentType, type.kind)
}

function updating(call: Call): ApiResponse {
  const { handler, request, address, type } = call
  if (address.name === undefined) {
    throw type.isCustom ? badRequest('name must be provided') : methodNotAllowed()
  }
  const write = { body: bodyOf(call), user: request.user, address }
  if (type.allowsCreateOnUpdate && !stored(call)) {
    return shown(call, 201, createObject(handler.context, type, write))
  }
  const update = { ...write, current: found(call), mustNameVersion: true }
  return shown(call, 200, updateObject(handler.context, type, update))
}

function patching(call: Call): ApiResponse {
  const { handler, request, address, type } = call
  if (address.name === undefined) throw methodNotAllowed()
  const current = inVersion(found(call), type)
  const { body: text, contentType, user } = request
  const body = patchedObject(type, current, { body: text, contentType })
  const update = { current, body, user, address, mustNameVersion: false }
  return shown(call, 200, updateObject(handler.context, type, update))
}

function deleting(call: Call): ApiResponse {
  const { handler, type } = call
  const deletion = deleteObject(handler.context, { type, current: found(call) }, deleteOptionsOf(call))
  if (!deletion.isGone || type.returnsDeleted) return shown(call, 200, inVersion(deletion.object, type))
  return { kind: 'json', status: 200, body: deletedStatus(type, deletion.object) }
}

function deleteOptionsOf({ request, address }: Call): DeleteOptions {
  const body = request.body ? readBody(request.body, request.contentType, 'DeleteOptions') : undefined
  return readDeleteOptions(body, address.query)
}

function deletingCollection(call: Call): ApiResponse {
  const { handler, address, type } = call
  const { store } = handler.context
  const options = deleteOptionsOf(call)
  const items = store.list(collectionOf(type), address.namespace).filter(matcherFor(type, address.query))
  for (const current of items) deleteObject(handler.context, { type, current }, options)
  const metadata = { resourceVersion: String(store.version()) }
  return { kind: 'json', status: 200, body: call.presenter.list({ items, metadata }) }
}
