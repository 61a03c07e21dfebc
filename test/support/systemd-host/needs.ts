// Whether this machine can boot test hosts, found out by trying.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { debianTree } from './debian-tree.ts'

export type SystemdHostNeeds =
  { readonly kind: 'met'; readonly tree: string } | { readonly kind: 'unmet'; readonly missing: string }

const programs = ['unshare', 'nsenter', 'setpriv', 'flock', 'ip', 'mount', 'debootstrap']

/** What a host is made of, in namespaces that vanish with the command. */
const trial = `set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/lower /mnt/upper /mnt/work /mnt/root
mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
ip link add type veth`

/**
 * Makes the Debian tree where it is not there yet. With KPSSH_REQUIRE_NAMESPACES=1, as in CI, it throws where anything is
 * missing, so that nothing is skipped there.
 */
export async function lookForNeeds(): Promise<SystemdHostNeeds> {
  const needs = await look()
  if (needs.kind === 'unmet' && process.env['KPSSH_REQUIRE_NAMESPACES'] === '1') {
    throw new Error(`Cannot boot test hosts: ${needs.missing}; KPSSH_REQUIRE_NAMESPACES forbids to skip them`)
  }
  return needs
}

/** Options for `describe`: with what is missing as the reason to skip. */
export function skippedWhere(needs: SystemdHostNeeds): { readonly skip?: string } {
  return needs.kind === 'met' ? {} : { skip: needs.missing }
}

async function look(): Promise<SystemdHostNeeds> {
  const missing = missingHere()
  if (missing !== undefined) return { kind: 'unmet', missing }
  const tree = await debianTree()
  return tree.kind === 'ready'
    ? { kind: 'met', tree: tree.folder }
    : { kind: 'unmet', missing: `needs a Debian tree, which debootstrap could not make: ${tree.problem}` }
}

function missingHere(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux'
  if (process.getuid?.() !== 0) return 'needs root'
  const absent = programs.filter((program) => !isOnPath(program))
  if (absent.length > 0) return `needs ${absent.join(', ')}`
  if (!hasMemoryGroups()) return 'needs control groups with the memory controller in /sys/fs/cgroup'
  try {
    execFileSync('unshare', ['--mount', '--net', '--pid', '--fork', 'sh', '-c', trial], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 10_000,
    })
    return undefined
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error)
    return `needs mount, network and process namespaces with overlay and veth: ${said ?? ''}`
  }
}

/** Some profiles refuse a host without. */
function hasMemoryGroups(): boolean {
  const [v1, v2] = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup/cgroup.subtree_control']
  return existsSync(v1) || (existsSync(v2) && readFileSync(v2, 'utf8').includes('memory'))
}

function isOnPath(program: string): boolean {
  const folders = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`.split(':')
  return folders.some((folder) => folder !== '' && existsSync(`${folder}/${program}`))
}
