// Resource lists as exact numbers, for deciding: parsed once, then added and compared without text in between.
import { formatQuantity, parseQuantity, type QuantityFormat } from './quantity.ts'
import type { ResourceList } from './resource-list.ts'

/** Resource name to nano units. A name that is absent counts as zero. */
export type Amounts = ReadonlyMap<string, bigint>

export const noAmounts: Amounts = new Map()

/** Throws SpecError for a list that did not come through a schema. */
export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text).nanos]))
}

export function addAmounts(...terms: readonly Amounts[]): Amounts {
  return terms.reduce((total, term) => combine(total, term, (a, b) => a + b), noAmounts)
}

export function subtractAmounts(from: Amounts, term: Amounts): Amounts {
  return combine(from, term, (a, b) => a - b)
}

/** The larger of both, resource by resource. */
export function largerAmounts(one: Amounts, other: Amounts): Amounts {
  return combine(one, other, (a, b) => (a > b ? a : b))
}

/** The smaller of both, resource by resource. */
export function smallerAmounts(one: Amounts, other: Amounts): Amounts {
  return combine(one, other, (a, b) => (a < b ? a : b))
}

/** With zero in place of what is below it. */
export function atLeastZero(amounts: Amounts): Amounts {
  return new Map([...amounts].map(([name, amount]) => [name, amount < 0n ? 0n : amount]))
}

/** Nothing fits where any resource is below zero already; a request of zero needs nothing. */
export function fits(requests: Amounts, available: Amounts): boolean {
  return !isOverdrawn(available) && covers(available, requests)
}

export function isOverdrawn(amounts: Amounts): boolean {
  for (const amount of amounts.values()) if (amount < 0n) return true
  return false
}

/** True if each request is at most what is available of it. */
export function covers(available: Amounts, requests: Amounts): boolean {
  for (const [name, amount] of requests) if (amount > (available.get(name) ?? 0n)) return false
  return true
}

/** Names of the requests that are more than what is available, sorted. */
export function lacking(requests: Amounts, available: Amounts): readonly string[] {
  return [...requests]
    .filter(([name, amount]) => amount > (available.get(name) ?? 0n))
    .map(([name]) => name)
    .sort()
}

/** As a resource list, sorted by name; bytes in powers of two. */
export function formatAmounts(amounts: Amounts): ResourceList {
  const names = [...amounts.keys()].sort()
  return Object.fromEntries(
    names.map((name) => [name, formatQuantity(amounts.get(name) ?? 0n, formatOf(name))]),
  )
}

function formatOf(name: string): QuantityFormat {
  const isBytes = name === 'memory' || name.endsWith('storage') || name.startsWith('hugepages-')
  return isBytes ? 'BinarySI' : 'DecimalSI'
}

function combine(one: Amounts, other: Amounts, operation: (a: bigint, b: bigint) => bigint): Amounts {
  const result = new Map(one)
  for (const [name, amount] of other) result.set(name, operation(one.get(name) ?? 0n, amount))
  return result
}
