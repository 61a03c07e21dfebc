// Invokes functions in worker threads of serverless-offline, each instance one invocation at a time, as on Lambda.
import Lambda from 'serverless-offline/lambda'

export interface FunctionPool {
  invoke(functionName: string, event: unknown): Promise<unknown>
  /** Starts instances ahead of the first event: each handles one that asks for nothing. */
  warm(functionName: string, instances: number): Promise<void>
  stop(): Promise<void>
}

export function makeFunctionPool(
  serverless: unknown,
  functions: Readonly<Record<string, object>>,
  options: object,
): FunctionPool {
  const lambda = new Lambda(serverless, options)
  lambda.create(
    Object.entries(functions).map(([functionKey, functionDefinition]) => ({
      functionKey,
      functionDefinition,
    })),
  )

  function invoke(functionName: string, event: unknown): Promise<unknown> {
    const instance = lambda.get(functionName)
    instance.setEvent(event)
    return instance.runHandler()
  }
  return {
    invoke,
    async warm(functionName, instances) {
      await Promise.all(Array.from({ length: instances }, () => invoke(functionName, { Records: [] })))
    },
    stop: () => lambda.cleanup(),
  }
}
