// Machines that a script has made unusable: nothing more can be done with them, and nothing is done in their files from outside.
import { existsSync, lstatSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** Its programs, its kernel, and what is ours. */
const needed = ['.sandbox/lib.bash', '.sandbox/record', 'usr/bin/bash', 'proc/1/stat']
/** For what runs, reboots and savings write themselves. */
const neededBytes = 1024 * 1024
const neededFiles = 100

/** What was done to a machine, in the words of a finding; nothing where it can go on. */
export function ruinOf(initPid: number): string | undefined {
  const root = `/proc/${String(initPid)}/root`
  // A link in its place would lead to files of the real machine.
  const isOurs = lstatSync(join(root, '.sandbox'), { throwIfNoEntry: false })?.isDirectory() === true
  if (!isOurs || !needed.every((path) => existsSync(join(root, path)))) {
    return "deleted or unmounted its machine's own programs or /proc"
  }
  const { bavail, bsize, ffree } = statfsSync(root)
  return bavail * bsize < neededBytes || ffree < neededFiles ? "filled its machine's disk" : undefined
}
