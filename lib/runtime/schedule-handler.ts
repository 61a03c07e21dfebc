// The door of a function that a schedule drives. A scheduled run that failed must be seen to fail, so it throws; nobody
// tries it again, since the next one is due soon anyway.
import type { Facts, Scope } from '../ambient/ports.ts'
import { openScope } from './invocation-scope.ts'
import type { Invocation, Runtime } from './runtime.ts'
import { withInvocation } from './with-invocation.ts'

export type ScheduleLambda = (event: unknown, context: Invocation) => Promise<Facts>

/** `run` returns counts of what it saw and did: they are the log line and the answer. */
export function scheduleHandler(run: (scope: Scope) => Promise<Facts>, runtime: Runtime): ScheduleLambda {
  return withInvocation(runtime, async (_event: unknown, context: Invocation) => {
    const { scope, close } = openScope(context, runtime)
    try {
      const counts = await run(scope)
      scope.log.info('schedule.done', counts)
      return { ...counts }
    } catch (cause) {
      scope.log.error('schedule.failed', { cause })
      throw cause
    } finally {
      close()
    }
  })
}
