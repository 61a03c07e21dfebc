import { ControlPlaneError, type ErrorOptions } from './control-plane-error.ts'

/** A phase script ended badly. The output is in the run's outcome, never in the message. */
export class PhaseError extends ControlPlaneError {
  readonly code = 'PHASE_FAILED'
  readonly isRetryable: boolean
  constructor(message: string, options: ErrorOptions & { readonly isRetryable?: boolean } = {}) {
    super(message, options)
    this.isRetryable = options.isRetryable ?? false
  }
}
