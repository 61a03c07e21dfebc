// The only place that knows middy: what happens around every invocation.
import middy from '@middy/core'
import type { Invocation, Runtime } from './runtime.ts'

/** Our own deadline (invocation-scope.ts) answers before Lambda's; middy's early timeout would throw the batch away. */
export function withInvocation<E, R>(
  runtime: Runtime,
  handle: (event: E, context: Invocation) => Promise<R>,
): (event: E, context: Invocation) => Promise<R> {
  const wrapped = middy((event: E, context: Invocation) => handle(event, context), {
    timeoutEarlyInMillis: 0,
  })
    // Whatever a hook returns would become the answer, so these return nothing.
    .before((request: { readonly context: Invocation }) => {
      runtime.begin(request.context)
    })
    .after(() => {
      runtime.end()
    })
    .onError(() => {
      runtime.end()
    })
  return async (event, context) => wrapped(event, context)
}
