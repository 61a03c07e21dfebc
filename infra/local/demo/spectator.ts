// Looks at the world a few times a second, tells what changed, and waits for what a step of the scenario expects.
import type { Kubernetes } from '../../../lib/kubernetes/ports.ts'
import { lookAtWorld, tellChanges, type Look } from './look.ts'
import type { Timeline } from './timeline.ts'

export interface Spectator {
  readonly seen: () => Look
  /** Resolves when `holds` does; throws, with what was seen instead, after `withinSeconds`. */
  until(what: string, holds: (look: Look) => boolean, withinSeconds: number): Promise<void>
  close(): Promise<void>
}

const lookEveryMs = 200

export async function startSpectator(kubernetes: Kubernetes, timeline: Timeline): Promise<Spectator> {
  let look = await lookAtWorld(kubernetes)
  let isOver = false
  let failure: unknown
  const looking = (async () => {
    while (!isOver) {
      await pause(lookEveryMs)
      const next = await lookAtWorld(kubernetes)
      tellChanges(look, next).forEach((line) => timeline.line(line))
      look = next
    }
  })().catch((error: unknown) => {
    failure = error
  })
  return {
    seen: () => look,
    async until(what, holds, withinSeconds) {
      const looks = (withinSeconds * 1000) / lookEveryMs
      for (let count = 0; count < looks; count += 1) {
        if (failure !== undefined) throw new Error(`Cannot look at the demo cluster`, { cause: failure })
        if (holds(look)) return
        await pause(lookEveryMs)
      }
      throw new Error(`Expected within ${withinSeconds} s: ${what}. Seen instead: ${describe(look)}`)
    },
    async close() {
      isOver = true
      await looking
    },
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}

function describe(look: Look): string {
  return JSON.stringify({
    hosts: Object.fromEntries(look.hosts),
    nodeClaims: Object.fromEntries(look.nodeClaims),
    nodes: Object.fromEntries(look.nodes),
    pods: Object.fromEntries(look.pods),
  })
}
