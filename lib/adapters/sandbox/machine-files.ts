// What is on a machine's file system, read from outside: what it was made with in /usr is left out.
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import type { FileState } from '../../proof/ports.ts'

/** Larger files are known by their size and a digest. */
const largestContentBytes = 1024 * 1024
/** Of the beginning alone: a file with holes may have any size. */
const mostDigestedBytes = 64 * 1024 * 1024

/** Not the machine's own, or the kernel's, or what mount keeps for itself. */
const leftOut = new Set(['/proc', '/sys', '/dev', '/usr', '/.sandbox', '/run/mount'])
const mappedFolders: readonly (readonly [where: string, path: string])[] = [
  ['', ''],
  ['/.sandbox/usr/upper', '/usr'],
  ['/.sandbox/local', '/usr/local'],
]
/** Of a fresh machine; that they are copied up to /usr's upper layer is no change. */
const ownFolders = new Set(['/usr/local'])

export interface FoundFile {
  readonly path: string
  /** Where it is read from outside. */
  readonly place: string
  readonly stats: Stats
}

/**
 * In no particular order. `root` is where the machine's file system is seen from outside. What is mounted somewhere is shown
 * where it comes from: of a mount point there is the folder alone.
 */
export function* walkMachine(root: string, mounts: readonly string[]): Generator<FoundFile> {
  const ends = new Set(mounts)
  for (const [where, path] of mappedFolders) {
    for (const found of walk(join(root, where), path, ends)) {
      if (!isAsMade(found)) yield found
    }
  }
}

/** Everything below a folder, with paths from there. */
export function* walkFolder(place: string): Generator<FoundFile> {
  yield* walk(place, '.', new Set())
}

function* walk(place: string, path: string, ends: ReadonlySet<string>): Generator<FoundFile> {
  for (const name of namesIn(place)) {
    const found = { path: `${path}/${name}`, place: join(place, name) }
    if (leftOut.has(found.path)) continue
    const stats = lstatSync(found.place, { throwIfNoEntry: false })
    if (stats === undefined) continue
    yield { ...found, stats }
    if (stats.isDirectory() && !ends.has(found.path)) yield* walk(found.place, found.path, ends)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // It has been removed meanwhile.
    return []
  }
}

/** A folder of /usr that is in the upper layer only because something in it changed. */
function isAsMade({ path, stats }: FoundFile): boolean {
  if (!path.startsWith('/usr/') || !stats.isDirectory()) return false
  return ownFolders.has(path) || (!path.startsWith('/usr/local/') && existsSync(path))
}

export function readFileState({ place, stats }: FoundFile): FileState {
  return { ...kindAndContent(place, stats), mode: stats.mode & 0o7777, owner: ownerOf(stats) }
}

function kindAndContent(place: string, stats: Stats): Pick<FileState, 'kind' | 'content'> {
  try {
    if (stats.isSymbolicLink()) return { kind: 'link', content: readlinkSync(place) }
    if (stats.isDirectory()) return { kind: 'directory', content: '' }
    if (stats.isFile()) return { kind: 'file', content: contentOf(place, stats) }
  } catch {
    return { kind: 'other', content: 'gone' }
  }
  // How an overlay remembers that something of the lower layer was removed.
  if (stats.isCharacterDevice() && stats.rdev === 0) return { kind: 'other', content: 'removed' }
  return { kind: 'other', content: '' }
}

function contentOf(place: string, { size }: Stats): string {
  if (size <= largestContentBytes) return readFileSync(place, 'latin1')
  return `${String(size)} bytes, sha256:${digestOfBeginning(place)}`
}

function digestOfBeginning(place: string): string {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(largestContentBytes)
  const file = openSync(place, 'r')
  try {
    for (let at = 0; at < mostDigestedBytes;) {
      const count = readSync(file, chunk)
      if (count === 0) break
      hash.update(chunk.subarray(0, count))
      at += count
    }
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}

function ownerOf({ uid, gid }: Stats): string {
  const name = (id: number): string => (id === 0 ? 'root' : String(id))
  return `${name(uid)}:${name(gid)}`
}
