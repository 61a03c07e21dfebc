import type { Resource } from '../../kubernetes/ports.ts'

export type AnyResource = Pick<Resource<unknown>, 'group' | 'version' | 'plural' | 'kind' | 'isNamespaced'>

export function apiVersionOf(resource: AnyResource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

/** `/apis/apps/v1/namespaces/ns/daemonsets/name/status`; without a namespace a namespaced resource means all of them. */
export function resourcePath(
  resource: AnyResource,
  place: {
    readonly namespace?: string | undefined
    readonly name?: string
    readonly subresource?: string
  } = {},
): string {
  const root = resource.group === '' ? '/api' : '/apis'
  const namespace =
    resource.isNamespaced && place.namespace !== undefined ? ['namespaces', place.namespace] : []
  const rest = [...namespace, resource.plural, place.name, place.subresource].filter(
    (part) => part !== undefined,
  )
  return [root, apiVersionOf(resource), ...rest.map(encodeURIComponent)].join('/')
}

/** For messages: `Pod "ns/name"`. */
export function thing(resource: AnyResource, name: string, namespace?: string): string {
  return `${resource.kind} "${namespace === undefined ? '' : `${namespace}/`}${name}"`
}
