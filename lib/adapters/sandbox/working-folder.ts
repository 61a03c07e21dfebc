// Where sandboxes keep what they need: removed at their end, and where this program is killed before it comes to that.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface WorkingFolder {
  readonly path: string
  remove(): Promise<void>
}

export async function makeWorkingFolder(): Promise<WorkingFolder> {
  const path = await mkdtemp(join(tmpdir(), 'kpssh-sandbox-'))
  // Waits for the end of its stdin, which comes with the end of this program, however that ends.
  const keeper = spawn('bash', ['-c', 'read -r _; rm -rf -- "$1"', 'keeper', path], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    cwd: '/',
    // Of its own session, so that Ctrl-C at a terminal does not end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(keeper, 'exit').catch(() => undefined)
  keeper.stdin.on('error', () => undefined)
  keeper.unref()
  return {
    path,
    async remove() {
      keeper.ref()
      keeper.stdin.end()
      await ended
      await rm(path, { recursive: true, force: true })
    },
  }
}
