import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lockFolder } from './folder-lock.ts'

describe('lockFolder', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kpssh-lock-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('refuses a folder that a running process holds, and takes it once that has ended', async () => {
    const other = spawn('sleep', ['60'])
    await writeFile(join(folder, 'stack.pid'), String(other.pid))
    await assert.rejects(
      lockFolder(folder),
      new RegExp(`process ${String(other.pid)} runs a local stack there`),
    )
    other.kill()
    await once(other, 'exit')
    const release = await lockFolder(folder)
    await release()
  })

  it('takes a folder whose lock says nothing', async () => {
    await writeFile(join(folder, 'stack.pid'), '')
    await (
      await lockFolder(folder)
    )()
  })
})
