// What is told of a host comes from scripts, objects and other systems, and may be of any length. A record keeps several of these
// texts at once and must stay far below what one item of the table can hold.
import { shortText } from '../api/short-text.ts'
import type { HostEvent, RunResult } from './host-event.ts'

/** As long as a reason of a Kubernetes event may be. */
const longestReason = 128
const longestMessage = 2048

interface Told {
  readonly reason?: string
  readonly message?: string
}

export function withShortTexts<E extends HostEvent>(event: E): E {
  return {
    ...event,
    ...shortened(event),
    ...('result' in event && { result: withShortResult(event.result) }),
  }
}

/** Also for the ledger, which is told of a result beside the record. */
export function withShortResult(result: RunResult): RunResult {
  return { ...result, ...shortened(result) }
}

function shortened(told: object): Told {
  const { reason, message }: Told = told
  return {
    ...(reason !== undefined && { reason: shortText(reason, longestReason) }),
    ...(message !== undefined && { message: shortText(message, longestMessage) }),
  }
}
