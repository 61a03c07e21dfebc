import { ControlPlaneError, type ErrorOptions } from './control-plane-error.ts'

/** A dependency was throttled, timed out or answered 5xx: try again later. */
export class TransientError extends ControlPlaneError {
  readonly code = 'TRANSIENT'
  readonly retryAfterMs: number | undefined
  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options)
    this.retryAfterMs = options.retryAfterMs
  }
}
