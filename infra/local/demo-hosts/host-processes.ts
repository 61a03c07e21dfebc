// Every process of a demo host carries its root in KPSSH_ROOT, also those that left their session: that is how they are found
// when the host loses its power.
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Ends every process whose root is `root` or below it. */
export async function killProcessesOf(root: string): Promise<void> {
  // Again until none is left: what is being killed may be starting others.
  for (let round = 0; round < 100; round += 1) {
    const found = await processesOf(root)
    if (found.length === 0) return
    for (const pid of found) kill(pid)
    await sleep(10)
  }
  throw new Error(`Cannot stop the processes below "${root}": some are left after 100 rounds`)
}

async function processesOf(root: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const checked = await Promise.all(
    pids.map(async (pid) => ((await belongs(pid, root)) ? [Number(pid)] : [])),
  )
  return checked.flat().filter((pid) => pid !== process.pid)
}

async function belongs(pid: string, root: string): Promise<boolean> {
  // The environment of others' and of ended processes cannot be read: they are not ours.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
  return environment
    .split('\0')
    .some((entry) => entry === `KPSSH_ROOT=${root}` || entry.startsWith(`KPSSH_ROOT=${root}/`))
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
