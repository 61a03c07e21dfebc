// What a client asks before it knows anything: health, version, groups and resources.
import { parseUrl, type ApiRequest, type ApiResponse } from './api-request.ts'
import type { JsonRecord } from './json.ts'
import { openApiDocument, openApiIndex } from './openapi.ts'
import type { Registry } from './registry.ts'
import { apiVersionOf, type ResourceType } from './resource-type.ts'
import { StatusError } from './status-error.ts'

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

export function answerDiscovery(registry: Registry, request: ApiRequest): ApiResponse | undefined {
  if (request.method !== 'GET') return undefined
  const { pathname } = parseUrl(request.url)
  if (['/healthz', '/livez', '/readyz'].includes(pathname)) return { kind: 'text', status: 200, body: 'ok' }
  const body = pathname === '/version' ? version : document(registry, pathname)
  if (!body) return undefined
  if (pathname !== '/version') refuseAnonymous(request, pathname)
  return { kind: 'json', status: 200, body }
}

function refuseAnonymous(request: ApiRequest, pathname: string): void {
  if (!request.user.groups.includes('system:unauthenticated')) return
  const text = `forbidden: User "${request.user.username}" cannot get path "${pathname}"`
  throw new StatusError(403, 'Forbidden', text, { details: {} })
}

function document(registry: Registry, pathname: string): JsonRecord | undefined {
  const parts = pathname.split('/').filter((part) => part !== '')
  const types = registry.all()
  if (parts[0] === 'api' && parts.length === 1) return coreVersions
  if (parts[0] === 'api' && parts.length === 2) return resourceList(types, '', parts[1] ?? '')
  if (parts[0] === 'openapi' && parts[1] === 'v3') {
    return parts.length === 2 ? openApiIndex(types) : openApiDocument(types, parts.slice(2).join('/'))
  }
  if (parts[0] !== 'apis') return undefined
  if (parts.length === 1) return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(types) }
  if (parts.length === 2) {
    const group = groupsOf(types).find(({ name }) => name === parts[1])
    return group && { kind: 'APIGroup', apiVersion: 'v1', ...group }
  }
  return parts.length === 3 ? resourceList(types, parts[1] ?? '', parts[2] ?? '') : undefined
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
