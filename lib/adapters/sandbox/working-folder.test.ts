import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { makeWorkingFolder } from './working-folder.ts'

describe('a working folder', () => {
  it('is gone with all that is in it once it is removed', async () => {
    const folder = await makeWorkingFolder()
    await writeFile(join(folder.path, 'saved-1.tar'), 'x')
    await folder.remove()
    assert.equal(existsSync(folder.path), false)
  })

  it('is gone as well where the program is killed', async () => {
    const script = `import { makeWorkingFolder } from '${new URL('working-folder.ts', import.meta.url).href}'
      const { path } = await makeWorkingFolder()
      console.log(path)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    const path = said.toString().trim()
    assert.equal(existsSync(path), true)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await eventually(() => !existsSync(path), 'the folder of a killed program to go')
  })
})
