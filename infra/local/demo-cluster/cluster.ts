// The cluster as a controller sees it: reads from the store, writes through the server's own door, so that every rule holds.
import type { KubeApi } from '../kube-api/kube-api.ts'
import type { KubeObject } from '../kube-api/kube-object.ts'
import { recordOf, textOf } from '../kube-api/json.ts'
import { collectionOf, type ResourceType } from '../kube-api/resource-type.ts'
import type { UserInfo } from '../kube-api/user.ts'

const controllerManager: UserInfo = {
  username: 'system:kube-controller-manager',
  groups: ['system:masters', 'system:authenticated'],
}

export interface SubresourceRequest {
  readonly collection: string
  readonly subresource: 'approval' | 'binding' | 'finalize'
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly body: object
}

export interface Cluster {
  readonly nowMs: number
  types(): readonly ResourceType[]
  /** By collection, e.g. `/nodes` or `apps/replicasets`. */
  list(collection: string, namespace?: string): readonly KubeObject[]
  get(collection: string, namespace: string, name: string): KubeObject | undefined
  create(collection: string, object: object, namespace?: string): boolean
  /** A merge patch, conditional on the version read where the patch names it. False: the object is gone or has changed. */
  patch(collection: string, object: KubeObject, patch: object): boolean
  patchStatus(collection: string, object: KubeObject, status: object): boolean
  /** A request to one of the object's subresources. */
  ask(object: KubeObject, request: SubresourceRequest): boolean
  remove(collection: string, object: KubeObject, options?: object): boolean
  /** An Event for people, on an object. */
  tell(
    object: KubeObject,
    event: { readonly type?: string; readonly reason: string; readonly message: string },
  ): void
}

export function makeCluster(api: KubeApi, nowMs: number, component = 'kpssh-demo'): Cluster {
  const send = (method: string, url: string, body?: object): boolean => {
    const answer = api.handle({
      method,
      url,
      contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      user: controllerManager,
      ...(body && { body: JSON.stringify(body) }),
    })
    return answer.kind === 'json' && answer.status < 300
  }
  const urlOf = (collection: string, { metadata }: KubeObject): string =>
    `${listUrl(api, collection, metadata.namespace)}/${encodeURIComponent(metadata.name)}`

  return {
    nowMs,
    types: () => api.types(),
    list: (collection, namespace) => api.store.list(collection, namespace),
    get: (collection, namespace, name) => api.store.get(collection, namespace, name),
    create: (collection, object, namespace) => send('POST', listUrl(api, collection, namespace), object),
    patch: (collection, object, patch) => send('PATCH', urlOf(collection, object), patch),
    patchStatus: (collection, object, status) =>
      send('PATCH', `${urlOf(collection, object)}/status`, { status }),
    ask: (object, { collection, subresource, method, body }) =>
      send(method, `${urlOf(collection, object)}/${subresource}`, body),
    remove(collection, object, options = {}) {
      const preconditions = { uid: object.metadata.uid }
      return send('DELETE', urlOf(collection, object), { preconditions, ...options })
    },
    tell: (object, event) =>
      void send('POST', listUrl(api, '/events', object.metadata.namespace ?? 'default'), {
        ...event,
        ...eventFields(object, { nowMs, component }),
      }),
  }
}

function eventFields(
  { apiVersion, kind, metadata }: KubeObject,
  { nowMs, component }: { readonly nowMs: number; readonly component: string },
): object {
  const { name, namespace = 'default', uid } = metadata
  const now = new Date(nowMs).toISOString()
  return {
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion, kind, name, namespace, uid },
    source: { component },
    reportingComponent: component,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  }
}

function listUrl(api: KubeApi, collection: string, namespace: string | undefined): string {
  const type = api.types().find((candidate) => collectionOf(candidate) === collection)
  if (!type) throw new Error(`Cannot write to "${collection}": no such kind is served, define it first`)
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`
  const scope = type.isNamespaced && namespace !== undefined ? `/namespaces/${namespace}` : ''
  return `${root}${scope}/${type.plural}`
}

export interface ConditionText {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

export function conditionsOf(object: KubeObject): readonly ConditionText[] {
  const { conditions } = recordOf(object['status'])
  if (!Array.isArray(conditions)) return []
  return conditions.map(recordOf).map((condition) => ({
    ...condition,
    type: textOf(condition['type']),
    status: textOf(condition['status']),
  }))
}

export function isReady(object: KubeObject): boolean {
  return conditionsOf(object).some(({ type, status }) => type === 'Ready' && status === 'True')
}

/** The conditions with this one in place of its type; the same array if it says so already. */
export function withCondition(
  conditions: readonly ConditionText[],
  condition: ConditionText,
  now: string,
): readonly ConditionText[] {
  const before = conditions.find(({ type }) => type === condition.type)
  const isUnchanged =
    before?.status === condition.status &&
    before.reason === condition.reason &&
    before.message === condition.message
  if (isUnchanged) return conditions
  const others = conditions.filter(({ type }) => type !== condition.type)
  return [...others, { ...condition, ...{ lastTransitionTime: now } }]
}
