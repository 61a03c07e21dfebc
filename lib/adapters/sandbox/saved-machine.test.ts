import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { needsSandboxes, someSandboxes } from '../../../test/support/sandbox/sandboxes.ts'
import type { SteppedMachine } from '../../proof/ports.ts'

describe('a machine that was saved', needsSandboxes, async () => {
  const machines = needsSandboxes.skip === undefined ? await someSandboxes() : undefined
  after(() => machines?.close())

  async function withMachine(
    work: (machine: SteppedMachine) => Promise<void>,
    from?: SteppedMachine,
  ): Promise<void> {
    assert.ok(machines)
    const machine = await machines.make(await from?.save())
    try {
      await work(machine)
    } finally {
      await machine.close()
    }
  }

  it('comes back with its mounts, and with the folders below them as they were', async () => {
    await withMachine(async (machine) => {
      await machine.prepare('mkdir -m 750 /srv/data && mount -t tmpfs -o mode=1777 tmpfs /srv/data')
      await withMachine(async (copy) => {
        assert.deepEqual((await copy.state()).mounts, ['/srv/data'])
        await copy.prepare('umount /srv/data')
        assert.equal((await copy.state()).files.get('/srv/data')?.mode, 0o750)
      }, machine)
    })
  })

  it('comes back with its containers, of which each is made anew once it has died', async () => {
    await withMachine(async (machine) => {
      const begin = '. /.sandbox/lib.bash; . /.sandbox/stubs/pods.bash'
      await machine.prepare(`${begin}; start_pods; start_pods`)
      assert.equal((await machine.state()).containers, 1)
      await withMachine(async (copy) => {
        assert.equal((await copy.state()).containers, 1)
        await copy.prepare(
          'while pkill -KILL -f -- "-namespace k8s.io"; do read -r -t 0.01 _ <> <(:) || :; done',
        )
        assert.equal((await copy.state()).containers, 0)
        await copy.prepare(`${begin}; start_pods`)
        assert.equal((await copy.state()).containers, 1)
      }, machine)
    })
  })
})
