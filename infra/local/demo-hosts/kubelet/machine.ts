// What the demo host claims to be, and how its stand-in behaves: files below the host's root.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const Machine = z.strictObject({
  cpu: z.string(),
  memory: z.string(),
  pods: z.int().default(110),
  /** Between heartbeats. A real kubelet renews its Lease every ten seconds. */
  heartbeatMs: z.int().default(10_000),
  /** Between registration and Ready. */
  readyAfterMs: z.int().default(0),
})
export type Machine = z.infer<typeof Machine> & { readonly bootID: string }

export async function readMachine(root: string): Promise<Machine> {
  const machine = Machine.parse(JSON.parse(await readFile(`${root}/etc/demo/machine.json`, 'utf8')))
  const bootID = await readFile(`${root}/proc/sys/kernel/random/boot_id`, 'utf8')
  return { ...machine, bootID: bootID.trim() }
}

/** Throws if this join was asked to fail: the first node name that is tried then, however often, and no later one. */
export async function failIfAsked(root: string, nodeName: string): Promise<void> {
  const file = `${root}/etc/demo/kubelet-fails`
  const doomed = await readFile(file, 'utf8').catch(() => undefined)
  if (doomed === undefined) return
  if (doomed !== '' && doomed !== nodeName) return rm(file, { force: true })
  await writeFile(file, nodeName)
  throw new Error('this join was asked to fail')
}
