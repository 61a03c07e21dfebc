import { makeSystemClock } from '../lib/adapters/node/clock.ts'
import { makeRuntime } from '../lib/runtime/make-runtime.ts'
import type { Runtime } from '../lib/runtime/runtime.ts'

export type FunctionName = 'reconcile' | 'install' | 'join' | 'leave' | 'probe' | 'guard'

export function composeRuntime(functionName: FunctionName): Runtime {
  return makeRuntime({ functionName, clock: makeSystemClock() })
}
