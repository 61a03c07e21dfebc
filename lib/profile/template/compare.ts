// Comparison as Go's templates do it: only like with like, integers of either sign by value.
import { typeOf, type Value } from './values.ts'

type Fail = (message: string) => Error

export function isEqualToAny(first: Value, others: readonly Value[], fail: Fail): boolean {
  return others.some((other) => isEqual(first, other, fail))
}

function isEqual(a: Value, b: Value, fail: Fail): boolean {
  if (isInteger(a) && isInteger(b)) return a.value === b.value
  if (isNil(a) && isNil(b)) return true
  if (a.kind === 'nil' || b.kind === 'nil') return false
  switch (a.kind) {
    case 'bool':
    case 'float':
      if (b.kind === a.kind) return a.value === b.value
      break
    case 'string':
      if (b.kind === 'string') return a.bytes === b.bytes
      break
    case 'complex':
      if (b.kind === 'complex') return a.real === b.real && a.imaginary === b.imaginary
      break
    case 'int':
    case 'uint8':
    case 'map':
    case 'context':
  }
  return isSameObject(a, b, fail)
}

function isSameObject(a: Value, b: Value, fail: Fail): boolean {
  if (a.kind === 'context' && b.kind === 'context') return a === b
  const isMapPair = a.kind === 'map' && b.kind === 'map'
  if (isMapPair && (isNil(a) || isNil(b))) return false
  throw isMapPair ? fail('cannot compare maps') : incompatible(a, b, fail)
}

function isInteger(value: Value): value is Extract<Value, { readonly kind: 'int' | 'uint8' }> {
  return value.kind === 'int' || value.kind === 'uint8'
}

function isNil(value: Value): boolean {
  return value.kind === 'nil' || (value.kind === 'map' && value.isNil)
}

function incompatible(a: Value, b: Value, fail: Fail): Error {
  return fail(`cannot compare values of types ${typeOf(a)} and ${typeOf(b)}`)
}

/** Below, at or above 0; NaN if one of them is. */
export function compare(a: Value, b: Value, fail: Fail): number {
  if (isInteger(a) && isInteger(b)) return order(a.value, b.value)
  if (a.kind === 'float' && b.kind === 'float') return order(a.value, b.value)
  if (a.kind === 'string' && b.kind === 'string') return order(a.bytes, b.bytes)
  throw incompatible(a, b, fail)
}

function order<T extends bigint | number | string>(a: T, b: T): number {
  if (a < b) return -1
  if (a > b) return 1
  return a === b ? 0 : NaN
}
