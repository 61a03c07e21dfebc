// Machines to try profiles on: each is a set of namespaces with a file system in memory over this machine's /usr.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../ambient/ports.ts'
import { SandboxError } from '../../errors/sandbox-error.ts'
import type { SavedMachine, SteppedMachines } from '../../proof/ports.ts'
import { startMachine, type Family } from './start-machine.ts'
import { makeSandboxMachine } from './sandbox-machine.ts'
import { makeWorkingFolder } from './working-folder.ts'

export interface SandboxOptions {
  readonly clock: Clock
  /** Which package manager the machines have. Default `debian`. */
  readonly family?: Family
}

/** Throws SandboxError (SandboxUnavailable) where this machine cannot make any, before anything was made. */
export async function makeSandboxes({ clock, family = 'debian' }: SandboxOptions): Promise<SteppedMachines> {
  await requireNamespaces()
  const folder = await makeWorkingFolder()
  const files = new Map<SavedMachine, string>()
  let count = 0
  return {
    async make(from) {
      count += 1
      const mount = join(folder.path, `machine-${String(count)}`)
      const saved = from === undefined ? '' : fileOf(files, from)
      const started = await startMachine({ clock, family, mount, saved })
      return makeSandboxMachine(clock, started, async (keep) => {
        const machine = { id: `saved-${String(files.size + 1)}` }
        const file = join(folder.path, `${machine.id}.tar`)
        await keep(file)
        files.set(machine, file)
        return machine
      })
    },
    close: () => folder.remove(),
  }
}

function fileOf(files: ReadonlyMap<SavedMachine, string>, saved: SavedMachine): string {
  const file = files.get(saved)
  if (file !== undefined) return file
  throw new SandboxError(
    `Cannot make a machine from "${saved.id}": these sandboxes did not save it, use one of theirs`,
    { reason: 'SavedMachineUnknown' },
  )
}

const tools = ['unshare', 'nsenter', 'setpriv', 'mount', 'pivot_root', 'tar', 'bash']
const toolFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

async function requireNamespaces(): Promise<void> {
  if (process.platform !== 'linux') throw unavailable(`this is ${process.platform}`, 'use a Linux')
  if (process.getuid?.() !== 0) throw unavailable('only root may make one', 'run it with sudo')
  const missing = tools.filter((tool) => !toolFolders.some((path) => existsSync(join(path, tool))))
  if (missing.length > 0) {
    throw unavailable(`${missing.join(', ')} is missing`, 'install util-linux, tar and bash')
  }
  const said = await tryNamespaces()
  if (said !== undefined) {
    throw unavailable(`this system makes no namespaces (${said})`, 'in a container, give it SYS_ADMIN')
  }
}

/** What stands in the way; nothing where they can be made. */
async function tryNamespaces(): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = spawn(
      'unshare',
      ['--mount', '--pid', '--net', '--uts', '--ipc', '--fork', 'mount', '-t', 'tmpfs', 'probe', '/mnt'],
      { stdio: ['ignore', 'ignore', 'pipe'], timeout: 10_000 },
    )
    let said = ''
    probe.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-300)))
    probe.once('error', (error) => resolve(error.message))
    probe.once('close', (code) =>
      resolve(code === 0 ? undefined : said.trim() || `exit code ${String(code)}`),
    )
  })
}

function unavailable(why: string, remedy: string): SandboxError {
  return new SandboxError(`Cannot make a sandbox: ${why}, ${remedy}`, { reason: 'SandboxUnavailable' })
}
