// One stack per state folder: its table, bundles and local.json can belong to one only.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Resolves to what gives the folder back. Throws an Error, for people, while a process that runs holds it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'stack.pid')
  const holder = Number(await readFile(path, 'utf8').catch(() => ''))
  if (holder > 0 && holder !== process.pid && isRunning(holder)) {
    throw new Error(`Cannot start in ${folder}: process ${holder} runs a local stack there, end it first`)
  }
  await rm(path, { force: true })
  await writeFile(path, String(process.pid), { flag: 'wx' })
  return () => rm(path, { force: true })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
