// Machines for the demo and for tests, all in one process: each is a directory with an SSH server in front, where real bash
// runs real scripts. They end with the process that started them, however that ends.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  startDemoHost,
  type CommandResult,
  type DemoHost,
  type DemoHostSpec,
  type RunningHost,
} from './demo-host.ts'
import { makeSshKeyPair } from './ssh-keys.ts'

export interface DemoHostsOptions {
  readonly hosts: readonly (Omit<DemoHostSpec, 'nodeAddress'> & { readonly nodeAddress?: string })[]
}

export interface DemoHosts {
  readonly hosts: readonly DemoHost[]
  /** The key that may log in everywhere, in OpenSSH's format. */
  readonly privateKey: string
  readonly publicKey: string
  host(name: string): DemoHost
  /** A command on a host, as somebody with a console would type it. */
  run(name: string, command: string): Promise<CommandResult>
  /** As a crash and a boot: everything that runs ends, volatile files are gone, enabled units start. */
  reboot(name: string): Promise<void>
  /** As pulling the plug. */
  powerOff(name: string): Promise<void>
  powerOn(name: string): Promise<void>
  /** The kubelet fails to start in the next join, however often it is tried, and in no later one. */
  failNextJoin(name: string): Promise<void>
  close(): Promise<void>
}

export async function startDemoHosts(options: DemoHostsOptions): Promise<DemoHosts> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'kpssh-demo-')))
  const watchdog = startWatchdog(base)
  const key = makeSshKeyPair()
  const running = new Map<string, RunningHost>()
  const close = async (): Promise<void> => {
    await Promise.all([...running.values()].map((host) => host.powerOff()))
    await endWatchdog(watchdog)
  }
  try {
    for (const [index, spec] of options.hosts.entries()) {
      const nodeAddress = spec.nodeAddress ?? `192.0.2.${String(index + 11)}`
      const place = { root: `${base}/${spec.name}`, authorizedKey: key.publicKey }
      running.set(spec.name, await startDemoHost({ ...spec, nodeAddress }, place))
    }
  } catch (error) {
    await close()
    throw error
  }
  const find = (name: string): RunningHost => {
    const found = running.get(name)
    if (found) return found
    throw new Error(`Cannot find the demo host "${name}": there are ${[...running.keys()].join(', ')}`)
  }

  return {
    hosts: [...running.values()].map(({ facts }) => facts),
    privateKey: key.privateKey,
    publicKey: key.publicKey,
    host: (name) => find(name).facts,
    run: (name, command) => find(name).run(command),
    async reboot(name) {
      await find(name).powerOff()
      await find(name).powerOn()
    },
    powerOff: (name) => find(name).powerOff(),
    powerOn: (name) => find(name).powerOn(),
    failNextJoin: (name) => find(name).failNextJoin(),
    close,
  }
}

/** A process that outlives this one for a moment, to end what this one started. */
function startWatchdog(base: string): ChildProcess {
  const program = fileURLToPath(new URL('image/watchdog', import.meta.url))
  const watchdog = spawn('/bin/bash', [program, base], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.on('error', () => undefined)
  watchdog.unref()
  return watchdog
}

function endWatchdog(watchdog: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (watchdog.exitCode !== null || watchdog.pid === undefined) {
      resolve()
      return
    }
    watchdog.ref()
    watchdog.once('exit', () => resolve())
    watchdog.stdin?.end()
  })
}
