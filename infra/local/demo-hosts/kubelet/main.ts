// A stand-in for a kubelet on a demo host. It joins as a real one does: a certificate by TLS bootstrap, its own Node, a Lease,
// and the Ready condition; it runs no pods. Like the real one it leaves its Node alone when it ends, and does not come back
// by itself when its Node is deleted under it: only a restart registers again.
import { obtainCredentials } from './credentials.ts'
import { readFlags } from './flags.ts'
import { keepHeartbeat } from './heartbeat.ts'
import { failIfAsked, readMachine } from './machine.ts'
import { makeNodeApi } from './node-api.ts'
import { registerNode } from './register-node.ts'

const log = (message: string): void => console.error(`${new Date().toISOString()} ${message}`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    log('stopping: the Node is left as it is')
    process.exit(0)
  })
}

try {
  const flags = readFlags(process.argv.slice(2))
  const root = process.env['KPSSH_ROOT'] ?? ''
  const machine = await readMachine(root)
  await failIfAsked(root, flags.nodeName)
  const credentials = await obtainCredentials(flags, log)
  const api = makeNodeApi(credentials)
  await registerNode(api, { flags, machine, log })
  await keepHeartbeat(api, { flags, machine, log })
} catch (error) {
  log(`failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
