// .kpssh/local.json: where the running local stack is, for `kpssh`.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { QueueName } from '../../../lib/messages/ports.ts'

export interface LocalFile {
  /** Of the table. */
  readonly endpoint: string
  /** Of the queues. */
  readonly queueEndpoint: string
  readonly region: string
  readonly tableName: string
  readonly queues: Readonly<Record<QueueName, string>>
  readonly cluster: string
  readonly pool: string
  readonly namespace: string
  /** Path of a kubeconfig for the cluster. */
  readonly kubeconfig: string
}

export async function writeLocalFile(path: string, content: LocalFile): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${JSON.stringify(content, undefined, 2)}\n`)
  return () => rm(path, { force: true })
}
