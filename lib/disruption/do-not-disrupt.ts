import { parseGoDurationMs } from '../api/duration.ts'

/**
 * What the annotation do-not-disrupt of a pod says: `true`, or a duration since the pod started. A duration protects here
 * without end, since nobody tells when the pod started; what is neither protects nothing.
 */
export function isProtected(value: string | undefined): boolean {
  if (value === undefined) return false
  if (value === 'true') return true
  try {
    return parseGoDurationMs(value) > 0
  } catch {
    return false
  }
}
