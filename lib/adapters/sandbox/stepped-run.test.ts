import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { needsSandboxes, someSandboxes } from '../../../test/support/sandbox/sandboxes.ts'
import { says, scriptToRun } from '../../../test/support/says.ts'
import type { SteppedMachine, SteppedMachines } from '../../proof/ports.ts'

describe('a run step by step', needsSandboxes, () => {
  let machines: SteppedMachines
  let machine: SteppedMachine
  before(async () => {
    machines = await someSandboxes()
    machine = await machines.make()
  })
  after(async () => {
    await machine.close()
    await machines.close()
  })

  it('shows the files as they are before each step', async () => {
    const seen: unknown[] = []
    await machine.runStepped(scriptToRun('echo 1 >/srv/one\nrm /srv/one'), ({ command }) => {
      seen.push([command, machine.files().get('/srv/one')?.content])
      return Promise.resolve('go on')
    })
    assert.deepEqual(seen, [
      ['set +e', undefined],
      ['echo 1 > /srv/one', undefined],
      ['rm /srv/one', '1\n'],
    ])
  })

  it('ends where it cannot be answered, and says why', async () => {
    const run = machine.runStepped(scriptToRun('echo 1 >/srv/two\necho 2 >/srv/three'), ({ command }) =>
      command.includes('three') ? Promise.reject(new Error('cannot look')) : Promise.resolve('go on'),
    )
    await assert.rejects(run, { message: 'cannot look' })
    assert.deepEqual(await says(machine, 'ls /srv'), ['two', 'exit 0'])
  })
})
