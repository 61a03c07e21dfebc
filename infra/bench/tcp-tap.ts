// A door in front of a host that tells when somebody knocks.
import { connect, createServer, type Server } from 'node:net'
import { once } from 'node:events'

export interface TcpTap {
  readonly port: number
  close(): Promise<void>
}

export async function startTcpTap(
  target: { readonly address: string; readonly port: number },
  onConnect: () => void,
): Promise<TcpTap> {
  const server: Server = createServer((client) => {
    onConnect()
    const host = connect(target.port, target.address)
    client.pipe(host).pipe(client)
    const end = (): void => {
      client.destroy()
      host.destroy()
    }
    client.on('error', end).on('close', end)
    host.on('error', end).on('close', end)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('Cannot tell where the tap listens')
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
      }),
  }
}
