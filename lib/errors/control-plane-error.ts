// One class per reaction, one closed list of codes. disposition.ts alone decides what a code leads to.

export type ErrorCode =
  | 'CONFIG'
  | 'SPEC'
  | 'CAPACITY'
  | 'HOST_UNREACHABLE'
  | 'HOST_IDENTITY'
  | 'PHASE_FAILED'
  | 'VERIFICATION'
  | 'TRANSIENT'
  | 'LOST_RACE'
  | 'SANDBOX'

/** Facts about an error that are safe to log: an allow-list, never secrets, never script output. */
export type Details = Readonly<Record<string, string | number | boolean>>

export interface ErrorOptions {
  /** UpperCamelCase, stable, shown as a Kubernetes reason: `HostKeyChanged`, `SudoNeedsTty`. */
  readonly reason?: string
  readonly details?: Details
  readonly cause?: unknown
}

/** Message grammar: `Cannot <action> <quoted thing>: <current state>, <required state or what to do>`. */
export abstract class ControlPlaneError extends Error {
  abstract readonly code: ErrorCode
  readonly reason: string | undefined
  readonly details: Details
  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = new.target.name
    this.reason = options.reason
    this.details = options.details ?? {}
  }
}
