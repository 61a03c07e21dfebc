// What a client asks before it knows anything: health, version, groups and resources.
import { parseUrl, type ApiRequest, type ApiResponse } from './api-request.ts'
import type { JsonRecord } from './json.ts'
import { openApiDocument, openApiIndex } from './openapi.ts'
import type { Registry } from './registry.ts'
import { apiVersionOf, type ResourceType } from './resource-type.ts'
import { forbidden } from './status-error.ts'

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+kpssh-local',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
}

const healthPaths = ['/healthz', '/livez', '/readyz']

/** undefined: the path is none of discovery. */
export function answerDiscovery(registry: Registry, request: ApiRequest): ApiResponse | undefined {
  if (request.method !== 'GET') return undefined
  const { pathname } = parseUrl(request.url)
  if (healthPaths.includes(pathname)) return { kind: 'text', status: 200, body: 'ok' }
  if (pathname === '/version') return { kind: 'json', status: 200, body: version }
  const [root, ...rest] = pathname.split('/').filter((part) => part !== '')
  const body = documents[root ?? '']?.(registry.all(), rest)
  if (!body) return undefined
  refuseAnonymous(request, pathname)
  return { kind: 'json', status: 200, body }
}

function refuseAnonymous({ user }: ApiRequest, pathname: string): void {
  if (!user.groups.includes('system:unauthenticated')) return
  throw forbidden(`forbidden: User "${user.username}" cannot get path "${pathname}"`, {})
}

type Document = (types: readonly ResourceType[], path: readonly string[]) => JsonRecord | undefined

/** By the first part of the path; longer paths are of resources. */
const documents: Readonly<Record<string, Document>> = {
  api: (types, [served, ...more]) => {
    if (served === undefined) return coreVersions
    return more.length === 0 ? resourceList(types, '', served) : undefined
  },
  apis: (types, [group, served, ...more]) => {
    const groups = groupsOf(types)
    if (group === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups }
    if (served !== undefined) return more.length === 0 ? resourceList(types, group, served) : undefined
    const found = groups.find(({ name }) => name === group)
    return found && { kind: 'APIGroup', apiVersion: 'v1', ...found }
  },
  openapi: (types, [form, ...path]) => {
    if (form !== 'v3') return undefined
    return path.length === 0 ? openApiIndex(types) : openApiDocument(types, path.join('/'))
  },
}

const coreVersions = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [],
}

function groupsOf(types: readonly ResourceType[]): readonly (JsonRecord & { readonly name: string })[] {
  const named = [...new Set(types.map(({ group }) => group))].filter((group) => group !== '')
  return named.map((name) => {
    const versions = [
      ...new Set(types.filter(({ group }) => group === name).map((type) => type.version)),
    ].map((served) => ({ groupVersion: `${name}/${served}`, version: served }))
    return { name, versions, preferredVersion: versions[0] }
  })
}

function resourceList(types: readonly ResourceType[], group: string, served: string): JsonRecord | undefined {
  const here = types.filter((type) => type.group === group && type.version === served)
  if (here.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version: served }),
    resources: here.flatMap((type) => [
      {
        name: type.plural,
        singularName: type.singular,
        namespaced: type.isNamespaced,
        kind: type.kind,
        verbs,
        shortNames: type.shortNames,
        categories: type.categories,
      },
      ...type.subresources.map((subresource) => ({
        name: `${type.plural}/${subresource}`,
        singularName: '',
        namespaced: type.isNamespaced,
        kind: type.kind,
        verbs: ['get', 'patch', 'update'],
      })),
    ]),
  }
}
