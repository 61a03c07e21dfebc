// The API server as a process of its own:
//   node infra/local/kube-api/main.ts [--port N] [--host ADDRESS] [--address NAME]... [--kubeconfig FILE] [--with-controllers]
// It writes the administrator's kubeconfig, says where it serves, and goes on until it is told to stop.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startDemoControllers } from '../demo-cluster/start-demo-controllers.ts'
import { startKubeApiServer } from './kube-api-server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    address: { type: 'string', multiple: true, default: [] },
    kubeconfig: { type: 'string' },
    'with-controllers': { type: 'boolean', default: false },
  },
})

const server = await startKubeApiServer({
  port: Number(values.port),
  host: values.host,
  addresses: values.address,
})
const controllers = values['with-controllers'] ? startDemoControllers(server) : undefined
if (values.kubeconfig !== undefined) await writeFile(values.kubeconfig, server.kubeconfig, { mode: 0o600 })
console.log(`kube-api: serving on ${server.url}`)

async function stop(): Promise<void> {
  await controllers?.close()
  await server.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
