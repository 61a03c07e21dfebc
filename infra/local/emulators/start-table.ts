// The table emulator, in process, on the loopback interface only. With a folder it survives restarts.
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import dynalite from 'dynalite'
import type { RunningEmulator } from './start-queues.ts'

export async function startTable(
  options: { readonly port?: number; readonly folder?: string } = {},
): Promise<RunningEmulator> {
  if (options.folder !== undefined) await mkdir(options.folder, { recursive: true })
  const server = dynalite({
    createTableMs: 0,
    ...(options.folder === undefined ? {} : { path: options.folder }),
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('Cannot tell where the table emulator listens')
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections()
        // Its callback gets null where Node's own server gives undefined.
        server.close((error?: Error | null) => (error ? reject(error) : resolve()))
      }),
  }
}
