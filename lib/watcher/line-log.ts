import type { Clock, Facts, Log } from '../ambient/ports.ts'
import { causeChain } from '../runtime/cause-chain.ts'

/** One line of JSON per event, for whoever collects a pod's output. */
export function makeLineLog(clock: Pick<Clock, 'nowMs'>, write: (line: string) => void): Log {
  const line =
    (level: string) =>
    (event: string, facts: Facts = {}): void => {
      const { cause, ...rest } = facts
      const causes = cause === undefined ? {} : { causes: causeChain(cause) }
      const time = new Date(clock.nowMs()).toISOString()
      write(`${JSON.stringify({ time, level, event, ...rest, ...causes })}\n`)
    }
  return { info: line('info'), warn: line('warn'), error: line('error') }
}
