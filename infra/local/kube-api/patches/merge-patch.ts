// JSON merge patch (RFC 7386).
import { isRecord, recordOf } from '../json.ts'

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged = new Map(Object.entries(recordOf(target)))
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), change))
  }
  return Object.fromEntries(merged)
}
