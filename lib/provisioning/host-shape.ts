// What of a host matters to pods. A pool holds many machines of few sizes: what was decided for one of a shape goes for all.
import { amountsOf, type Amounts } from '../api/amounts.ts'
import { hostLabels, type FreeHost } from './free-host.ts'
import { requirementsOfLabels, type Requirements } from './requirements.ts'

export interface HostShape {
  readonly requirements: Requirements
  readonly capacity: Amounts
  readonly allocatable: Amounts
}

/** Hosts that differ in nothing that matters get the same object. */
export type ShapeOf = (host: FreeHost) => HostShape

export function shapesOf(hosts: readonly FreeHost[]): ShapeOf {
  const byText = new Map<string, HostShape>()
  const byHost = new Map<FreeHost, HostShape>()
  const shapeOf: ShapeOf = (host) => {
    const text = JSON.stringify([hostLabels(host), host.capacity, host.allocatable])
    const shape = byText.get(text) ?? newShape(host)
    byText.set(text, shape)
    return shape
  }
  for (const host of hosts) byHost.set(host, shapeOf(host))
  return (host) => byHost.get(host) ?? shapeOf(host)
}

function newShape(host: FreeHost): HostShape {
  return {
    requirements: requirementsOfLabels(hostLabels(host)),
    capacity: amountsOf(host.capacity),
    allocatable: amountsOf(host.allocatable),
  }
}

/** Asks once for each shape. */
export function oncePerShape<S extends object, T>(ask: (shape: S) => T): (shape: S) => T {
  const known = new Map<S, { readonly answer: T }>()
  return (shape) => {
    const found = known.get(shape) ?? { answer: ask(shape) }
    known.set(shape, found)
    return found.answer
  }
}
