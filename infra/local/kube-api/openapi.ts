// Just enough OpenAPI v3 for kubectl: that the server itself checks fields, and the schemas of custom resources for
// `kubectl explain`. Built-in kinds are described as plain objects.
import type { JsonRecord } from './json.ts'
import { apiVersionOf, type ResourceType } from './resource-type.ts'

export function openApiIndex(types: readonly ResourceType[]): JsonRecord {
  const served = [...new Set(types.map(pathOf))]
  const paths = served.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}` }])
  return { paths: Object.fromEntries(paths) }
}

/** The document of one group and version, by its path below /openapi/v3/; undefined where nothing is served. */
export function openApiDocument(types: readonly ResourceType[], path: string): JsonRecord | undefined {
  const here = types.filter((type) => pathOf(type) === path)
  if (here.length === 0) return undefined
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths: Object.fromEntries(here.map((type) => [`/${path}/${itemPath(type)}`, operations(type)])),
    components: { schemas: Object.fromEntries(here.map((type) => [schemaName(type), schemaOf(type)])) },
  }
}

function pathOf(type: ResourceType): string {
  return type.group === '' ? `api/${type.version}` : `apis/${type.group}/${type.version}`
}

function itemPath(type: ResourceType): string {
  return type.isNamespaced ? `namespaces/{namespace}/${type.plural}/{name}` : `${type.plural}/{name}`
}

function operations(type: ResourceType): JsonRecord {
  const { group, version, kind } = type
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  }))
  const reference = { $ref: `#/components/schemas/${schemaName(type)}` }
  const responses = {
    200: { description: 'OK', content: { 'application/json': { schema: reference } } },
  }
  const described = { 'x-kubernetes-group-version-kind': { group, version, kind }, responses }
  return {
    get: { 'x-kubernetes-action': 'get', ...described },
    put: { 'x-kubernetes-action': 'put', parameters, ...described },
    patch: { 'x-kubernetes-action': 'patch', parameters, ...described },
  }
}

function schemaName(type: ResourceType): string {
  const reversed = apiVersionOf(type).split('/')[0]?.split('.').reverse().join('.') ?? ''
  return type.group === '' ? `io.k8s.api.core.v1.${type.kind}` : `${reversed}.${type.version}.${type.kind}`
}

function schemaOf(type: ResourceType): JsonRecord {
  const { group, version, kind } = type
  return {
    type: 'object',
    ...type.schema,
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  }
}
