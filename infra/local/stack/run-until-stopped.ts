// The life of `npm start`: the cluster, the stack, then nothing until somebody or something ends it.
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { startDemoWorld } from '../demo/demo-world.ts'
import { makeClosers, type Closers } from './closers.ts'
import { useKubeconfigCluster } from './kubeconfig-cluster.ts'
import { makeLineLog } from './line-log.ts'
import { startLocalStack, type StackCluster } from './local-stack.ts'
import type { StartOptions } from './options.ts'
import { makeTerminal, type Terminal } from './terminal.ts'

const stateFolder = resolve(import.meta.dirname, '../../../.kpssh')

interface End {
  readonly exitCode: number
  readonly why: string
}

/** Resolves to the exit code, once everything that was started has ended. */
export async function runUntilStopped(options: StartOptions): Promise<number> {
  const terminal = makeTerminal({ isYes: options.isYes, startedAtMs: Date.now() })
  const closers = makeClosers((message) => terminal.say(message))
  const end = Promise.withResolvers<End>()
  listenForSignals(end.resolve)
  try {
    const cluster = await findCluster(options, terminal, closers)
    const stack = await startLocalStack({
      cluster,
      terminal,
      narrates: true,
      keepsTable: options.kubeconfig !== undefined,
      ...(options.guardSeconds === undefined ? {} : { guardSeconds: options.guardSeconds }),
      onUnexpectedEnd: (why) => end.resolve({ exitCode: 1, why }),
    })
    closers.add('stack', () => stack.stop())
    terminal.say('ready; Ctrl-C ends everything that was started')
    const { exitCode, why } = await end.promise
    terminal.say(`${why}, ending`)
    return exitCode
  } finally {
    await closers.closeAll()
  }
}

/** The first signal ends everything in order; a second one at once, functions with it. */
function listenForSignals(resolve: (end: End) => void): void {
  let signals = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      signals += 1
      if (signals > 1) process.exit(130)
      resolve({ exitCode: 0, why: signal })
    })
  }
}

async function findCluster(
  options: StartOptions,
  terminal: Terminal,
  closers: Closers,
): Promise<StackCluster> {
  const { kubeconfig, name, namespace } = options
  await mkdir(stateFolder, { recursive: true })
  const out = createWriteStream(join(stateFolder, 'start.log'))
  closers.add('log', () => new Promise((done) => out.end(done)))
  const log = makeLineLog(out, 'start')
  if (kubeconfig !== undefined) return useKubeconfigCluster({ kubeconfig, name, namespace, terminal, log })
  const world = await startDemoWorld({ name, namespace, stateFolder, terminal, log })
  closers.add('demo cluster', () => world.close())
  await world.addPool()
  terminal.say(
    `no KUBECONFIG is set: a demo cluster with the hosts ${world.hosts.hosts.map((host) => host.name).join(', ')}`,
  )
  terminal.say(`  look at it with: export KUBECONFIG=${world.cluster.kubeconfig}`)
  return world.cluster
}
