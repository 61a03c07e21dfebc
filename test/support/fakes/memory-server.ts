import type { Resource } from '../../../lib/kubernetes/ports.ts'
import type {
  ListPage,
  ListPageOptions,
  ResourceFeed,
  Seen,
  WatchEvent,
  WatchOptions,
} from '../../../lib/kubernetes/watch-ports.ts'
import { TransientError } from '../../../lib/errors/transient-error.ts'

/** What happens next to whoever listens. */
export type Happening =
  | { readonly put: string }
  | { readonly remove: string }
  /** The server forgets what happened: older resourceVersions expire. */
  | 'compact'
  | 'close'
  | 'break'
  | 'fail'

/** Objects of one kind, their history and a script of happenings: each request takes some of them, in order. */
export interface MemoryServer extends ResourceFeed {
  readonly objects: ReadonlySet<string>
  /** Resolves when everything has happened and somebody watches quietly. */
  readonly quiet: Promise<void>
}

interface Change {
  readonly version: number
  readonly uid: string
  readonly isRemoval: boolean
}

export function memoryServer(
  happenings: readonly Happening[],
  pageOf: (uid: string) => unknown,
): MemoryServer {
  const script = [...happenings]
  const objects = new Set<string>()
  const history: Change[] = []
  let version = 1
  let oldest = 1
  let beQuiet: () => void = () => undefined
  const quiet = new Promise<void>((resolve) => {
    beQuiet = resolve
  })

  function change(uid: string, isRemoval: boolean): void {
    if (isRemoval && !objects.has(uid)) return
    version += 1
    if (isRemoval) objects.delete(uid)
    else objects.add(uid)
    history.push({ version, uid, isRemoval })
  }
  /** Lets the next thing happen; what concerns connections is returned. */
  function next(): 'close' | 'break' | 'fail' | 'changed' | 'end' {
    const happening = script.shift()
    if (happening === undefined) return 'end'
    if (happening === 'compact') oldest = version
    else if (typeof happening === 'string') return happening
    else if ('put' in happening) change(happening.put, false)
    else change(happening.remove, true)
    return 'changed'
  }
  function seen(uid: string): Seen<unknown> {
    return { uid, resourceVersion: String(version), object: pageOf(uid) }
  }

  return {
    objects,
    quiet,
    async listPage<T>(_resource: Resource<T>, options: ListPageOptions<T>): Promise<ListPage> {
      await Promise.resolve()
      if (next() === 'fail') throw new TransientError('Cannot list: failed, it is tried again later')
      const all = [...objects].toSorted()
      const from = options.next === undefined ? 0 : Number(options.next.split('@')[0])
      const listedAt = options.next === undefined ? version : Number(options.next.split('@')[1])
      if (listedAt < oldest) return { kind: 'expired' }
      for (const uid of all.slice(from, from + 2)) options.onItem(seen(uid) as Seen<T>)
      const more = from + 2 < all.length
      return {
        kind: 'page',
        resourceVersion: String(listedAt),
        next: more ? `${from + 2}@${listedAt}` : undefined,
      }
    },
    async *watch<T>(
      _resource: Resource<T>,
      { resourceVersion, signal }: WatchOptions,
    ): AsyncGenerator<WatchEvent<T>> {
      let at = Number(resourceVersion)
      await Promise.resolve()
      if (at < oldest) {
        yield { kind: 'expired' }
        return
      }
      yield { kind: 'opened' }
      for (;;) {
        for (const { version: changedAt, uid, isRemoval } of history.filter((one) => one.version > at)) {
          at = changedAt
          const common = { uid, resourceVersion: String(changedAt) }
          if (isRemoval) yield { kind: 'deleted', ...common }
          else yield { kind: 'put', seen: { ...common, object: pageOf(uid) } as Seen<T> }
        }
        const happened = next()
        if (happened === 'close') return
        if (happened === 'break' || happened === 'fail')
          throw new TransientError('Cannot watch: broke off, it is opened again')
        if (happened !== 'end') continue
        beQuiet()
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        )
        return
      }
    },
  }
}
