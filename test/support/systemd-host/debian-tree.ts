// The Debian tree that test hosts share, read-only below their own files. Made once per user and kept in the cache; its name
// is the hash of what it is made from.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type DebianTree =
  | { readonly kind: 'ready'; readonly folder: string }
  /** `problem` says why there is none: no debootstrap, no mirror, no room. */
  | { readonly kind: 'missing'; readonly problem: string }

const maker = fileURLToPath(new URL('make-tree.sh', import.meta.url))
/** For whoever comes while another builds. */
const lockSeconds = 900
const buildTimeoutMs = 900_000

/** Builds the tree where it is not there yet, which takes minutes; whoever comes meanwhile waits. */
export async function debianTree(): Promise<DebianTree> {
  const hash = createHash('sha256').update(readFileSync(maker)).update(process.arch).digest('hex')
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'kpssh')
  const folder = join(cache, `debian-${hash.slice(0, 12)}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const problem = await build(folder, join(cache, 'lock'))
    if (problem !== undefined) return { kind: 'missing', problem }
  }
  // Trees that nobody uses any more are known by their age.
  const now = new Date()
  utimesSync(folder, now, now)
  return { kind: 'ready', folder }
}

/** A build that is interrupted takes its processes and mounts with it. */
function build(folder: string, lock: string): Promise<string | undefined> {
  const mortal = ['--pdeathsig', 'KILL']
  const locked = ['flock', '--wait', String(lockSeconds), lock]
  const apart = ['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const command = [...mortal, ...locked, 'setpriv', ...mortal, ...apart, 'bash', maker, folder]
  return new Promise((resolve) => {
    const options = { timeout: buildTimeoutMs, maxBuffer: 64 * 1024 * 1024 }
    execFile('setpriv', command, options, (error, stdout, stderr) => {
      resolve(error === null ? undefined : (lastLine(stderr) ?? error.message))
    })
  })
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.trim() || undefined
}
