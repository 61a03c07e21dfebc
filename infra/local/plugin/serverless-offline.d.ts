// What this project uses of serverless-offline's function pool; the package brings no types.
declare module 'serverless-offline/lambda' {
  interface PooledFunction {
    setEvent(event: unknown): void
    runHandler(): Promise<unknown>
  }
  // eslint-disable-next-line no-restricted-syntax -- as the package exports it
  export default class Lambda {
    constructor(serverless: unknown, options: object)
    create(functions: readonly { readonly functionKey: string; readonly functionDefinition: object }[]): void
    /** An idle instance of the function, or a new one. Busy from the call of runHandler on. */
    get(functionKey: string): PooledFunction
    cleanup(): Promise<void>
  }
}
