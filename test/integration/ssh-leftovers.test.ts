// In a file, and so in a process, of its own: it counts what is open.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { aScriptedSshServer, type ServerScript } from '../support/ssh-server/scripted-ssh-server.ts'
import { aCommand, aShell, budgets } from '../support/sshd/runs-on.ts'

const faults: readonly [ServerScript, Partial<typeof budgets>, string][] = [
  [{ onSocket: (socket) => socket.destroy() }, { connectMs: 300, handshakeMs: 300 }, 'rejected'],
  [{ onSocket: (socket) => void socket.resume() }, { handshakeMs: 300 }, 'rejected'],
  [{ onAuth: (context) => context.reject(['publickey']) }, {}, 'rejected'],
  [{ onAuth: () => undefined }, { authMs: 300 }, 'rejected'],
  [{ onSession: () => false }, {}, 'rejected'],
  [{ refusesExec: true }, {}, 'rejected'],
  [{ onExec: () => undefined }, { commandMs: 300 }, 'fulfilled'],
  [{}, {}, 'fulfilled'],
]

it('SSH-20: nothing is left of a connection, whatever stage it failed at', async (test) => {
  const shell = aShell()
  const servers = await Promise.all(faults.map(([script]) => aScriptedSshServer(test, script)))
  const before = open('TCPSocketWrap')
  const rounds = Array.from({ length: 7 }, () => faults).flat()
  const errands = rounds.map(([, more], index) => {
    const command = aCommand('true', { budgets: { ...budgets, ...more } })
    return shell.run(servers[index % servers.length]!.target, command)
  })
  const settled = await Promise.allSettled(errands)
  assert.deepEqual(
    settled.map(({ status }) => status),
    rounds.map(([, , status]) => status),
  )
  await eventually(
    () => servers.every(({ seen }) => seen.openSockets === 0),
    'the servers to see all sockets closed',
  )
  // The server's own timers are gone with its sockets; one of ours would last for seconds.
  assert.equal(open('Timeout'), 0)
  await eventually(() => open('TCPSocketWrap') <= before, 'all sockets to be gone')
})

function open(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length
}
