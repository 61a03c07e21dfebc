// A function that is killed: after its k-th effect nothing of it happens any more, not even its own cleaning up. An effect is
// a write, a message or a contact with a host; the kill comes right before it, or right after it, when its answer is lost.
// Or one that stands still before its k-th effect and goes on when the world has changed.
import type { Clusters, Kubernetes } from '../../../lib/kubernetes/ports.ts'
import type { PhaseDeps } from '../../../lib/phase/phase-deps.ts'

export interface Kill {
  /** From 1; never, if the invocation has fewer effects. */
  readonly atEffect: number
  readonly when: 'before' | 'after'
}
export interface Pause {
  readonly atEffect: number
  readonly until: Promise<unknown>
}
export interface Fate {
  readonly kill?: Kill | undefined
  readonly pause?: Pause | undefined
}

export class Killed extends Error {}

export interface Mortal {
  readonly deps: PhaseDeps
  readonly wasKilled: () => boolean
}

export function mortalDeps(deps: PhaseDeps, { kill, pause }: Fate): Mortal {
  let effects = 0
  let isDead = false
  const die = (): never => {
    isDead = true
    throw new Killed('killed')
  }
  async function effect<R>(act: () => Promise<R>): Promise<R> {
    if (isDead) die()
    effects += 1
    if (effects === pause?.atEffect) await pause.until
    const isLast = effects === kill?.atEffect
    if (isLast && kill?.when === 'before') die()
    const result = await act()
    if (isLast) die()
    return result
  }
  function read<R>(act: () => Promise<R>): Promise<R> {
    return isDead ? Promise.reject(new Killed('killed')) : act()
  }
  const clusters: Clusters = {
    connect(cluster) {
      const inner = deps.clusters.connect(cluster)
      const kubernetes: Kubernetes = {
        get: (...args) => read(() => inner.get(...args)),
        list: (...args) => read(() => inner.list(...args)),
        create: (...args) => effect(() => inner.create(...args)),
        patch: (...args) => effect(() => inner.patch(...args)),
        delete: (...args) => effect(() => inner.delete(...args)),
        evict: (...args) => effect(() => inner.evict(...args)),
      }
      return kubernetes
    },
  }
  return {
    wasKilled: () => isDead,
    deps: {
      ...deps,
      hosts: { get: (...args) => read(() => deps.hosts.get(...args)) },
      changeHost: (...args) => effect(() => deps.changeHost(...args)),
      recipes: {
        get: (...args) => read(() => deps.recipes.get(...args)),
        put: (...args) => effect(() => deps.recipes.put(...args)),
      },
      history: { append: (...args) => effect(() => deps.history.append(...args)) },
      runs: {
        start: (...args) => effect(() => deps.runs.start(...args)),
        attach: (...args) => effect(() => deps.runs.attach(...args)),
        probe: (...args) => effect(() => deps.runs.probe(...args)),
      },
      clusters,
      messages: {
        send: (...args) => effect(() => deps.messages.send(...args)),
        deadLetter: (...args) => effect(() => deps.messages.deadLetter(...args)),
      },
    },
  }
}
