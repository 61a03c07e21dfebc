import type { Log } from '../../ambient/ports.ts'
import { TransientError } from '../../errors/transient-error.ts'
import type { Kubernetes, ListOptions, Resource } from '../../kubernetes/ports.ts'
import { readListPage } from './read-list.ts'
import { parsedAnswer } from './read-object.ts'
import { resourcePath, thing } from './resource-path.ts'
import type { RestClient } from './rest-client.ts'
import { statusError } from './translate-error.ts'

const pageSize = 500
/** Lists begun before one is given up. */
const maxExpired = 3

export function makeReader(rest: RestClient, log: Log): Pick<Kubernetes, 'get' | 'list'> {
  /** All pages, or `expired` when the list changed so much meanwhile that it must be begun again. */
  async function listOnce<T>(resource: Resource<T>, options: ListOptions): Promise<readonly T[] | 'expired'> {
    const objects: T[] = []
    const onItem = ({ object }: { readonly object: T }): void => void objects.push(object)
    let next: string | undefined
    do {
      const page = await readListPage({ rest, log }, resource, { ...options, limit: pageSize, next, onItem })
      if (page.kind === 'refused') {
        if (page.answer.status === 410 && next !== undefined) return 'expired'
        throw statusError(page.doing, page.answer)
      }
      next = page.next
    } while (next !== undefined)
    return objects
  }

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
      for (let attempt = 1; attempt <= maxExpired; attempt += 1) {
        const objects = await listOnce(resource, options)
        if (objects !== 'expired') return objects
      }
      throw new TransientError(
        `Cannot list "${resource.plural}": it changes faster than it can be read, it is tried again later`,
        { reason: 'ListExpired' },
      )
    },
  }
}
