// Runs one controller: again whenever something it watches changed, and at least as often as it asks. One pass at a time;
// a pass that fails is tried again with the next.
import type { Clock } from '../../../lib/ambient/ports.ts'
import type { KubeApi } from '../kube-api/kube-api.ts'
import { makeCluster, type Cluster } from './cluster.ts'

export interface Controller {
  readonly name: string
  /** Collections whose changes call for a pass; 'all' for every one. */
  readonly watches: readonly string[] | 'all'
  /** The longest time between passes. Default: nothing but changes calls for one. */
  readonly everyMs?: number
  /** Level-triggered: looks at everything, changes what is not as it should be. */
  reconcile(cluster: Cluster): void | Promise<void>
}

export interface LoopOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onError: (controller: string, error: unknown) => void
}

const idleMs = 3_600_000

export async function runControlLoop(
  api: KubeApi,
  controller: Controller,
  { clock, signal, onError }: LoopOptions,
): Promise<void> {
  let pause = new AbortController()
  const unsubscribe = api.store.subscribe(undefined, ({ collection }) => {
    if (controller.watches === 'all' || controller.watches.includes(collection)) pause.abort()
  })
  const stop = (): void => pause.abort()
  signal.addEventListener('abort', stop)
  while (!signal.aborted) {
    pause = new AbortController()
    try {
      await controller.reconcile(makeCluster(api, clock.nowMs(), controller.name))
    } catch (error) {
      onError(controller.name, error)
    }
    // What changed during the pass has ended the pause already.
    await clock.wait(controller.everyMs ?? idleMs, pause.signal)
    await nextTurn()
  }
  unsubscribe()
}

/** Lets a burst of writes end before the next pass. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
