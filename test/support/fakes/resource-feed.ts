import assert from 'node:assert/strict'
import type { Resource } from '../../../lib/kubernetes/ports.ts'
import type {
  ListPage,
  ListPageOptions,
  WatchOptions,
  ResourceFeed,
  Seen,
  WatchEvent,
} from '../../../lib/kubernetes/watch-ports.ts'

/** What the server does with one request: pages of a list, or a watch that tells these events and then ends so. */
export type Scripted =
  | { readonly list: ListPage | Error; readonly items?: readonly Seen<unknown>[] }
  | { readonly watch: readonly WatchEvent<unknown>[]; readonly then: 'close' | 'silence' | Error }

export interface ScriptedFeed extends ResourceFeed {
  /** `list`, `list <next>` or `watch <resourceVersion>`, in order. */
  readonly requests: readonly string[]
  /** Resolves when everything scripted was asked for and answered. */
  readonly played: Promise<void>
}

/** An API server that follows a script, for one resource. A request after the script's end waits until it is aborted. */
export function scriptedFeed(script: readonly Scripted[]): ScriptedFeed {
  const requests: string[] = []
  const rest = [...script]
  let finish: () => void = () => undefined
  const played = new Promise<void>((resolve) => {
    finish = resolve
  })

  function nextStep(request: string): Scripted | undefined {
    requests.push(request)
    if (rest.length === 0) finish()
    return rest.shift()
  }

  return {
    requests,
    played,
    async listPage<T>(_resource: Resource<T>, { next, signal, onItem }: ListPageOptions<T>) {
      const step = nextStep(next === undefined ? 'list' : `list ${next}`)
      if (step === undefined) return untilAborted(signal)
      assert.ok('list' in step, 'the script expects a watch here')
      if (step.list instanceof Error) throw step.list
      for (const item of step.items ?? []) onItem(item as Seen<T>)
      return step.list
    },
    async *watch<T>(_resource: Resource<T>, { resourceVersion, signal }: WatchOptions) {
      const step = nextStep(`watch ${resourceVersion}`)
      if (step === undefined) {
        await untilAborted(signal).catch(() => undefined)
        return
      }
      assert.ok('watch' in step, 'the script expects a list here')
      yield* step.watch as readonly WatchEvent<T>[]
      if (step.then instanceof Error) throw step.then
      if (step.then === 'silence') await untilAborted(signal).catch(() => undefined)
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => reject(new Error('aborted'))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  })
}
