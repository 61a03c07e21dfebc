// In a file, and so in a process, of its own: it counts what is open.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { aScriptedSshServer, type ServerScript } from '../support/ssh-server/scripted-ssh-server.ts'
import { aCommand, aShell } from '../support/sshd/runs-on.ts'

const short = { connectMs: 1000, handshakeMs: 1000, authMs: 2000, commandMs: 300 }

it('SSH-20: nothing is left of a connection, whatever stage it failed at', async (test) => {
  const scripts: ServerScript[] = [
    { onSocket: (socket) => socket.destroy() },
    { onSocket: (socket) => void socket.resume() },
    { onAuth: (context) => context.reject(['publickey']) },
    { onAuth: () => undefined },
    { onSession: () => false },
    { refusesExec: true },
    { onExec: () => undefined },
    {},
  ]
  const servers = await Promise.all(scripts.map((script) => aScriptedSshServer(test, script)))
  const before = open('TCPSocketWrap')
  const shell = aShell()
  const errands = Array.from({ length: 56 }, (_, index) =>
    shell.run(servers[index % servers.length]!.target, aCommand('true', { budgets: short })),
  )
  const settled = await Promise.allSettled(errands)
  assert.equal(open('Timeout'), 0)
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 14)
  await eventually(
    () => servers.every(({ seen }) => seen.openSockets === 0),
    'the servers to see all sockets closed',
  )
  await eventually(() => open('TCPSocketWrap') <= before, 'all sockets to be gone')
})

function open(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length
}
