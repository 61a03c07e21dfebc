import { parseGoDurationMs } from './duration.ts'

/**
 * What the annotation karpenter.sh/do-not-disrupt of a pod says: `true`, or a duration that counts from the pod's start. While
 * nobody knows when it started, a duration protects. What is neither protects nothing.
 */
export function isProtectedFromDisruption(
  value: string | undefined,
  startedAtMs: number | undefined,
  nowMs: number,
): boolean {
  if (value === undefined) return false
  if (value === 'true') return true
  const durationMs = durationOf(value)
  return durationMs > 0 && (startedAtMs === undefined || nowMs < startedAtMs + durationMs)
}

function durationOf(value: string): number {
  try {
    return parseGoDurationMs(value)
  } catch {
    return 0
  }
}
