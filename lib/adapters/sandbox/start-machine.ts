// Starts the first process of a machine and waits until it is set up.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../ambient/ports.ts'
import { SandboxError } from '../../errors/sandbox-error.ts'

export type Family = 'debian' | 'redhat'

export interface MachineSpec {
  readonly clock: Clock
  readonly family: Family
  /** A folder that is made, and removed at the end; its contents are seen by the machine alone. */
  readonly mount: string
  /** An archive of a machine that was kept, or ''. */
  readonly saved: string
}

export interface StartedMachine {
  /** As this program counts. Below /proc/<pid>/root lies the machine's file system. */
  readonly initPid: number
  /** Ends every process of the machine and its file system. */
  stop(): Promise<void>
}

/** Beside the sources; of a package that runs a bundle, where they are in it. */
const places = ['.', '../lib/adapters/sandbox'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
const place = places.find((path) => existsSync(join(path, 'set-up.sh'))) ?? import.meta.dirname
const setUp = join(place, 'set-up.sh')
const image = join(place, 'image')
const startMs = 30_000
const spaces = ['--mount', '--pid', '--net', '--uts', '--ipc', '--fork', '--kill-child']

/** Throws SandboxError. */
export async function startMachine({ clock, family, mount, saved }: MachineSpec): Promise<StartedMachine> {
  await mkdir(mount)
  const child = spawn('unshare', [...spaces, 'bash', setUp, mount, image, family, saved], {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    // Of its own session, so that Ctrl-C at a terminal does not tear it down under whoever uses it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    child.stdin.end()
    child.kill('SIGKILL')
    await ended
    await rmdir(mount).catch(() => undefined)
  }
  try {
    return { initPid: await ready(clock, child, ended), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function ready(
  clock: Clock,
  child: ChildProcessWithoutNullStreams,
  ended: Promise<void>,
): Promise<number> {
  let said = ''
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-2000)))
  child.stdin.on('error', () => undefined)
  const isReady = new Promise<'ready'>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2000)
      if (/^ready$/m.test(said)) resolve('ready')
    })
  })
  const patience = new AbortController()
  const outcome = await Promise.race([
    isReady,
    ended.then(() => 'it ended'),
    clock.wait(startMs, patience.signal).then(() => `it was not ready after ${String(startMs / 1000)} s`),
  ])
  patience.abort()
  const pid = /^pid (\d+)$/m.exec(said)?.[1]
  if (outcome === 'ready' && pid !== undefined) return Number(pid)
  throw new SandboxError(`Cannot set up a sandbox: ${outcome}: ${complaints.trim() || 'without a word'}`, {
    reason: 'SandboxFailed',
  })
}
