// Resource lists as text, for what is written to objects: formats stay as people wrote them. Decisions use amounts.ts.
import { z } from 'zod'
import { addQuantities, compareQuantities, Quantity, subtractQuantities } from './quantity.ts'

/** Resource name to quantity text: `{cpu: '4', memory: '8Gi'}`. */
export const ResourceList = z.record(z.string(), Quantity)
export type ResourceList = Readonly<Record<string, string>>

export function sumResources(lists: readonly ResourceList[]): ResourceList {
  const total: Record<string, string> = {}
  for (const [name, quantity] of lists.flatMap((list) => Object.entries(list))) {
    total[name] = addQuantities(total[name] ?? '0', quantity)
  }
  return total
}

/** Only resources of the first list; what the second does not name stays as it is. */
export function subtractResources(from: ResourceList, list: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(from).map(([name, quantity]) => {
      const term = list[name]
      return [name, term === undefined ? quantity : subtractQuantities(quantity, term)]
    }),
  )
}

/** True if each request is at most what is available; a resource that is not named there is zero. */
export function fitsResources(requests: ResourceList, available: ResourceList): boolean {
  return Object.entries(requests).every(
    ([name, quantity]) => compareQuantities(quantity, available[name] ?? '0') <= 0,
  )
}
