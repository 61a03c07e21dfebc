import type { Log } from '../../ambient/ports.ts'
import type { Kubernetes, ListOptions, Resource } from '../../kubernetes/ports.ts'
import { itemsOf, parsedAnswer, parseObject } from './read-object.ts'
import { type AnyResource, resourcePath, thing } from './resource-path.ts'
import type { RestClient } from './rest-client.ts'
import { statusError } from './translate-error.ts'

const pageSize = 500

export function makeReader(rest: RestClient, log: Log): Pick<Kubernetes, 'get' | 'list'> {
  return {
    async get(resource, name, namespace) {
      const doing = `get ${thing(resource, name, namespace)}`
      const answer = await rest.call({
        method: 'GET',
        path: resourcePath(resource, { name, namespace }),
        doing,
      })
      if (answer.status === 404) return undefined
      if (answer.status !== 200) throw statusError(doing, answer)
      return parsedAnswer(resource, answer.body, doing)
    },
    async list(resource, options = {}) {
      for (;;) {
        const pages = await listOnce(rest, resource, options)
        if (pages !== 'expired') return pages.flatMap((items) => readItems(resource, items, log))
      }
    },
  }
}

/** All pages as they came, or `expired` when the list changed so much meanwhile that it must be begun again. */
async function listOnce(
  rest: RestClient,
  resource: AnyResource,
  options: ListOptions,
): Promise<readonly (readonly unknown[])[] | 'expired'> {
  const doing = `list "${resource.plural}"`
  const path = resourcePath(resource, { namespace: options.namespace })
  const pages: (readonly unknown[])[] = []
  let next: string | undefined
  do {
    const { labelSelector, fieldSelector } = options
    const query = { limit: pageSize, continue: next, labelSelector, fieldSelector }
    const answer = await rest.call({ method: 'GET', path, query, doing })
    if (answer.status === 410 && next !== undefined) return 'expired'
    if (answer.status !== 200) throw statusError(doing, answer)
    const page = itemsOf(answer.body, doing)
    pages.push(page.items)
    next = page.next
  } while (next !== undefined)
  return pages
}

function readItems<T>(resource: Resource<T>, items: readonly unknown[], log: Log): readonly T[] {
  return items.flatMap((item) => {
    const read = parseObject(resource, item)
    if (read.kind === 'object') return [read.object]
    log.warn('kubernetes.object-unreadable', { kind: resource.kind, name: read.name, problem: read.problem })
    return []
  })
}
