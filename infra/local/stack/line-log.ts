import type { Writable } from 'node:stream'
import type { Facts, Log } from '../../../lib/ambient/ports.ts'
import { causeChain } from '../../../lib/runtime/cause-chain.ts'

/** One line of JSON per event, as the functions write them. */
export function makeLineLog(out: Writable, service: string): Log {
  function line(level: string) {
    return (event: string, { cause, ...facts }: Facts = {}): void => {
      const causes = cause === undefined ? {} : { causes: causeChain(cause) }
      const timestamp = new Date().toISOString()
      out.write(`${JSON.stringify({ level, message: event, timestamp, service, ...facts, ...causes })}\n`)
    }
  }
  return { info: line('INFO'), warn: line('WARN'), error: line('ERROR') }
}
