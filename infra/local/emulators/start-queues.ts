// The queue emulator, in process, on the loopback interface only.
import { buildApp } from 'fauxqs'

export interface RunningEmulator {
  readonly endpoint: string
  stop(): Promise<void>
}

export async function startQueues(options: { readonly port?: number } = {}): Promise<RunningEmulator> {
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ port: options.port ?? 0, host: '127.0.0.1' })
  return { endpoint, stop: async () => app.close() }
}
