// Parsed JSON is `unknown` until a guard has looked at it. Objects are rebuilt from entries, never assigned key by key, so
// that a key named `__proto__` stays a key.
import { isDeepStrictEqual } from 'node:util'

export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The record, or an empty one for anything else. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

/** The list, or an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A scalar as text; a structure as JSON; nothing for what is missing. */
export function printed(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value below `path`; undefined where the path leaves the object. Own properties only. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (!isRecord(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}

export function withField(record: JsonRecord, key: string, value: unknown): JsonRecord {
  if (value === undefined) return withoutField(record, key)
  return Object.fromEntries([...Object.entries(record).filter(([name]) => name !== key), [key, value]])
}

export function withoutField(record: JsonRecord, key: string): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}

export function mapFields(record: JsonRecord, change: (value: unknown, key: string) => unknown): JsonRecord {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
}

export function isSame(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right)
}

/** Whether nesting goes beyond `limit`, found without recursion. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true
    level = level.flatMap((item) => (isList(item) ? item : isRecord(item) ? Object.values(item) : []))
  }
  return false
}
