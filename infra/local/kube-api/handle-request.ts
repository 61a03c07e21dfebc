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
import { apiVersionOf, collectionOf, type ResourceType } from './resource-type.ts'
import { badRequest, methodNotAllowed, notFound, StatusError } from './status-error.ts'
import { answerSubresource } from './subresources/answer-subresource.ts'
import { presenterFor, type Presenter } from './present.ts'
import { createObject } from './verbs/create.ts'
import { deletedStatus, deleteObject, readDeleteOptions } from './verbs/delete.ts'
import { inVersion, listObjects, matcherFor, type ListSnapshots } from './verbs/list.ts'
import { patchedObject } from './verbs/patch.ts'
import { readBody } from './verbs/read-body.ts'
import { updateObject } from './verbs/update.ts'
import type { LiveWatch, WatchEvent } from './verbs/live-watch.ts'
import { watchObjects } from './verbs/watch.ts'

export interface ApiHandler {
  readonly context: ApiContext
  readonly snapshots: ListSnapshots
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
    return answer(handler, request)
  } catch (error) {
    const status =
      error instanceof StatusError
        ? error
        : new StatusError(500, 'InternalError', `Internal error occurred: ${String(error)}`)
    return { kind: 'json', status: status.code, body: status.toStatus() }
  }
}

function answer(handler: ApiHandler, request: ApiRequest): ApiResponse {
  const discovered = answerDiscovery(handler.context.registry, request)
  if (discovered) return discovered
  const address = readAddress(request.url)
  const verb = address && verbOf(request.method, address)
  if (!address || !verb) return pageNotFound
  authorize(request.user, verb, address)
  const type = handler.context.registry.find(address.group, address.version, address.plural)
  if (!type || (!type.isNamespaced && address.namespace !== undefined)) return pageNotFound
  handler.faults.check(verb, type)
  const presenter = presenterFor(type, request.accept, handler.context.clock.nowMs())
  const call: Call = { handler, request, address, type, presenter }
  if (address.subresource === undefined || address.subresource === 'status') return carryOut(call, verb)
  if (!type.subresources.includes(address.subresource)) return pageNotFound
  return answerSubresource(handler.context, { ...call, subresource: address.subresource, verb })
}

const pageNotFound: ApiResponse = { kind: 'text', status: 404, body: '404 page not found\n' }

function carryOut(call: Call, verb: Verb): ApiResponse {
  const { address, type, handler } = call
  if (address.subresource === 'status' && (!type.hasStatus || !['get', 'update', 'patch'].includes(verb))) {
    return pageNotFound
  }
  switch (verb) {
    case 'get':
      return shown(call, 200, inVersion(found(call), type))
    case 'list':
      return {
        kind: 'json',
        status: 200,
        body: call.presenter.list(listObjects(handler.context, handler.snapshots, type, address)),
      }
    case 'watch':
      return watching(call)
    case 'create':
      return creating(call)
    case 'update':
      return updating(call)
    case 'patch':
      return patching(call)
    case 'delete':
      return deleting(call)
    case 'deletecollection':
      return deletingCollection(call)
  }
}

function found({ handler, address, type }: Call): KubeObject {
  const name = address.name ?? ''
  const object = handler.context.store.get(collectionOf(type), address.namespace ?? '', name)
  if (!object) throw notFound(type, name)
  return object
}

function shown({ presenter }: Call, status: number, object: KubeObject): ApiResponse {
  return { kind: 'json', status, body: presenter.object(object) }
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
  const { handler, request, address, type } = call
  if (address.name !== undefined) throw methodNotAllowed()
  const body = readBody(request.body, request.contentType, type.kind)
  return shown(call, 201, createObject(handler.context, type, body, { user: request.user, address }))
}

function updating(call: Call): ApiResponse {
  const { handler, request, address, type } = call
  if (address.name === undefined)
    throw type.isCustom ? badRequest('name must be provided') : methodNotAllowed()
  const body = readBody(request.body, request.contentType, type.kind)
  const current = handler.context.store.get(collectionOf(type), address.namespace ?? '', address.name)
  const options = { user: request.user, address, mustNameVersion: true }
  if (!current && type.allowsCreateOnUpdate) {
    return shown(call, 201, createObject(handler.context, type, body, options))
  }
  return shown(call, 200, updateObject(handler.context, type, { current: found(call), body }, options))
}

function patching(call: Call): ApiResponse {
  const { handler, request, address, type } = call
  if (address.name === undefined) throw methodNotAllowed()
  const current = inVersion(found(call), type)
  const { body: text, contentType } = request
  const body = patchedObject(type, current, { body: text, contentType })
  const options = { user: request.user, address, mustNameVersion: false }
  return shown(call, 200, updateObject(handler.context, type, { current, body }, options))
}

function deleting(call: Call): ApiResponse {
  const { handler, request, address, type } = call
  const current = found(call)
  const body = request.body ? readBody(request.body, request.contentType, 'DeleteOptions') : undefined
  const deletion = deleteObject(handler.context, type, current, readDeleteOptions(body, address.query))
  if (!deletion.isGone || type.returnsDeleted) return shown(call, 200, inVersion(deletion.object, type))
  return { kind: 'json', status: 200, body: deletedStatus(type, deletion.object) }
}

function deletingCollection({ handler, request, address, type }: Call): ApiResponse {
  const { context } = handler
  const body = request.body ? readBody(request.body, request.contentType, 'DeleteOptions') : undefined
  const options = readDeleteOptions(body, address.query)
  const matches = matcherFor(type, address.query)
  const items = context.store.list(collectionOf(type), address.namespace).filter(matches)
  for (const item of items) deleteObject(context, type, item, options)
  const metadata = { resourceVersion: String(context.store.version()) }
  return {
    kind: 'json',
    status: 200,
    body: { kind: type.listKind, apiVersion: apiVersionOf(type), metadata, items },
  }
}
