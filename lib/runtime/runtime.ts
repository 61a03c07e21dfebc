import type { Context } from 'aws-lambda'
import type { Clock, Log } from '../ambient/ports.ts'

/** What is used of Lambda's context. */
export type Invocation = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>

/** What every invocation needs around its work. make-runtime.ts builds the one that runs on Lambda. */
export interface Runtime {
  readonly clock: Clock
  readonly log: Log
  /** Before anything else: what is logged from here on names this invocation. */
  begin(context: Invocation): void
  /** After everything else, also after an error: nothing that was counted is lost. */
  end(): void
}
