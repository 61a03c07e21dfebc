// A proxy that passes requests on and loses answers: what was asked for happens, and the asker never learns it.
import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface DroppingProxy {
  readonly endpoint: string
  /** Targets (`x-amz-target`) of the requests that were passed on, in order. */
  readonly passed: readonly string[]
  stop(): Promise<void>
}

/** Loses the answers to the first `losses` requests whose target ends with `target`. */
export async function startDroppingProxy(
  upstream: string,
  { target, losses }: { readonly target: string; readonly losses: number },
): Promise<DroppingProxy> {
  const passed: string[] = []
  let lost = 0
  const server = createServer((incoming, outgoing) => {
    const asked = String(incoming.headers['x-amz-target'])
    passed.push(asked)
    const isLost = asked.endsWith(target) && lost < losses
    if (isLost) lost += 1
    const onward = request(new URL(incoming.url ?? '/', upstream), {
      method: incoming.method,
      headers: incoming.headers,
    })
    onward.on('response', (answer: IncomingMessage) => {
      if (isLost) {
        answer.resume().on('end', () => incoming.socket.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An endpoint that accepts every connection and never answers. */
export async function startSilentEndpoint(): Promise<Pick<DroppingProxy, 'endpoint' | 'stop'>> {
  const server = createServer(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
