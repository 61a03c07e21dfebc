// One cluster in memory behind the Kubernetes port: uids, resourceVersions that conflict, finalizers that hold a deletion
// back, status as a subresource, stringData that turns into data. No admission, no defaults, no controllers: for those
// there is the in-process API server.
import type {
  Clusters,
  EvictOutcome,
  Kubernetes,
  ListOptions,
  PatchOptions,
  PatchOutcome,
  Resource,
} from '../../../lib/kubernetes/ports.ts'

type Json = Record<string, unknown>

export interface FakeKubernetes extends Kubernetes {
  /** Puts an object as if somebody else had applied it; spec and status alike. Returns what is stored. */
  put(resource: Resource<unknown>, object: object): Json
  /** Takes an object away at once, finalizers or not. */
  vanish(resource: Resource<unknown>, name: string, namespace?: string): void
  /** What is stored, unparsed. */
  raw(resource: Resource<unknown>, name: string, namespace?: string): Json | undefined
  all(resource: Resource<unknown>): readonly Json[]
  /** Called before every request: to let a rival act in between, or to throw what a server may answer. */
  before: ((verb: string, plural: string, name: string) => void | Promise<void>) | undefined
  /** Every request, `verb plural/name`. */
  readonly requests: string[]
}

export function makeFakeKubernetes(nowText = '2026-01-01T00:00:00Z'): FakeKubernetes {
  const objects = new Map<string, Json>()
  let counter = 0

  const next = () => String((counter += 1))
  const keyOf = (resource: Resource<unknown>, name: string, namespace: string | undefined) =>
    `${resource.plural}.${resource.group}/${resource.isNamespaced ? (namespace ?? '') : ''}/${name}`

  function store(key: string, object: Json): Json {
    const metadata = metadataOf(object)
    const isReleased = metadata.deletionTimestamp !== undefined && finalizersOf(object).length === 0
    const stored = { ...object, metadata: { ...metadata, resourceVersion: next() } }
    if (isReleased) objects.delete(key)
    else objects.set(key, stored)
    return stored
  }

  async function asked(verb: string, resource: Resource<unknown>, name: string): Promise<void> {
    fake.requests.push(`${verb} ${resource.plural}/${name}`)
    await fake.before?.(verb, resource.plural, name)
  }

  const fake: FakeKubernetes = {
    before: undefined,
    requests: [],
    put(resource, object) {
      const { name, namespace, ...rest } = metadataOf(object)
      const key = keyOf(resource, String(name), asText(namespace))
      const uid = rest.uid ?? metadataOf(objects.get(key) ?? {}).uid ?? `uid-${next()}`
      const metadata = { creationTimestamp: nowText, ...metadataOf(object), uid }
      return store(
        key,
        withData({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...object, metadata }),
      )
    },
    vanish: (resource, name, namespace) => void objects.delete(keyOf(resource, name, namespace)),
    raw: (resource, name, namespace) => objects.get(keyOf(resource, name, namespace)),
    all: (resource) =>
      [...objects]
        .filter(([key]) => key.startsWith(`${resource.plural}.${resource.group}/`))
        .map(([, object]) => object),
    async get(resource, name, namespace) {
      await asked('get', resource, name)
      const found = objects.get(keyOf(resource, name, namespace))
      return found === undefined ? undefined : resource.schema.parse(structuredClone(found))
    },
    async list(resource, options: ListOptions = {}) {
      await asked('list', resource, '')
      return fake
        .all(resource)
        .filter((object) => isListed(object, options))
        .map((object) => resource.schema.parse(structuredClone(object)))
    },
    async create(resource, object, namespace) {
      const name = String(metadataOf(object).name)
      await asked('create', resource, name)
      if (objects.has(keyOf(resource, name, namespace))) return { kind: 'exists' }
      const metadata = { ...metadataOf(object), ...(namespace !== undefined && { namespace }) }
      return {
        kind: 'created',
        object: resource.schema.parse(structuredClone(fake.put(resource, { ...object, metadata }))),
      }
    },
    async patch(resource, name, patch, options: PatchOptions = {}) {
      await asked(options.subresource === 'status' ? 'patch-status' : 'patch', resource, name)
      const key = keyOf(resource, name, options.namespace)
      const found = objects.get(key)
      if (found === undefined) return { kind: 'not-found' }
      const believed = metadataOf(patch).resourceVersion
      if (believed !== undefined && believed !== metadataOf(found).resourceVersion)
        return { kind: 'conflict' }
      const merged = mergePatch(found, scoped(patch, options.subresource))
      return {
        kind: 'patched',
        object: resource.schema.parse(structuredClone(store(key, withData(merged)))),
      } satisfies PatchOutcome<unknown>
    },
    async delete(resource, name, options = {}) {
      await asked('delete', resource, name)
      const key = keyOf(resource, name, options.namespace)
      const found = objects.get(key)
      if (found === undefined) return 'not-found'
      const metadata = metadataOf(found)
      if (options.uid !== undefined && options.uid !== metadata.uid) return 'conflict'
      if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion)
        return 'conflict'
      store(key, {
        ...found,
        metadata: { ...metadata, deletionTimestamp: metadata.deletionTimestamp ?? nowText },
      })
      return 'deleted'
    },
    async evict(pod): Promise<EvictOutcome> {
      const key = `pods./${pod.namespace}/${pod.name}`
      fake.requests.push(`evict pods/${pod.name}`)
      await fake.before?.('evict', 'pods', pod.name)
      const found = objects.get(key)
      if (found === undefined || metadataOf(found).uid !== pod.uid) return { kind: 'gone' }
      objects.delete(key)
      return { kind: 'evicted' }
    },
  }
  return fake
}

/** Several clusters by name; asking for another one is a mistake of the test. */
export function fakeClusters(clusters: Readonly<Record<string, Kubernetes>>): Clusters {
  return {
    connect(cluster) {
      const found = clusters[cluster]
      if (found === undefined)
        throw new Error(`Cannot connect to "${cluster}": the test knows ${Object.keys(clusters).join(', ')}`)
      return found
    },
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
function metadataOf(object: object): Json {
  return 'metadata' in object && isJson(object.metadata) ? object.metadata : {}
}
function finalizersOf(object: Json): readonly unknown[] {
  const { finalizers } = metadataOf(object)
  return Array.isArray(finalizers) ? finalizers : []
}
function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
function apiVersionOf(resource: Resource<unknown>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

/** stringData is written, data is read. */
function withData(object: Json): Json {
  const { stringData, ...rest } = object
  if (!isJson(stringData)) return object
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ])
  return { ...rest, data: { ...(isJson(rest.data) ? rest.data : {}), ...Object.fromEntries(encoded) } }
}

function isListed(object: Json, options: ListOptions): boolean {
  const metadata = metadataOf(object)
  if (options.namespace !== undefined && metadata.namespace !== options.namespace) return false
  const labels = isJson(metadata.labels) ? metadata.labels : {}
  const wanted = (options.labelSelector ?? '').split(',').filter((part) => part !== '')
  if (!wanted.every((part) => labels[part.split('=')[0]!] === part.split('=')[1])) return false
  return hasField(object, options.fieldSelector ?? '')
}

/** The two fields that anybody here selects by. */
function hasField(object: Json, selector: string): boolean {
  const [field = '', value] = selector.split('=')
  if (field === 'metadata.name') return metadataOf(object).name === value
  if (field === 'spec.nodeName') return isJson(object.spec) && object.spec.nodeName === value
  if (field === '') return true
  throw new Error(`Cannot select by "${field}": the fake knows metadata.name and spec.nodeName alone`)
}

/** The status subresource takes nothing but status, the object itself everything else. */
function scoped(patch: object, subresource: 'status' | undefined): Json {
  const all: Json = { ...patch }
  const { status, ...rest } = all
  if (subresource === undefined) return rest
  return status === undefined ? {} : { status }
}

function mergePatch(target: Json, patch: Json): Json {
  const merged: Json = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, name)
    else if (isJson(value)) merged[name] = mergePatch(isJson(merged[name]) ? merged[name] : {}, value)
    else merged[name] = value
  }
  return merged
}
