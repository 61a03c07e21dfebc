// What a script may do to its machine, by mistake or not, and what is left of the real one.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { needsSandboxes, someSandboxes } from '../../../test/support/sandbox/sandboxes.ts'
import { says, scriptToRun } from '../../../test/support/says.ts'
import type { SteppedMachine, SteppedMachines } from '../../proof/ports.ts'

describe('a script that does harm', needsSandboxes, () => {
  let machines: SteppedMachines
  before(async () => {
    machines = await someSandboxes()
  })
  after(() => machines.close())

  async function withMachine(work: (machine: SteppedMachine) => Promise<void>): Promise<void> {
    const machine = await machines.make()
    try {
      await work(machine)
    } finally {
      await machine.close()
    }
  }

  const losses = [
    ['deletes everything', 'rm -rf --no-preserve-root / 2>/dev/null || true'],
    ['deletes all programs', 'rm -rf /usr/bin || true'],
    ['puts something else into the place of what is ours', 'mv /.sandbox /gone; ln -s /etc /.sandbox'],
    ['unmounts the programs', 'umount -l -R /usr'],
    ['unmounts the kernel', 'umount -l -R /proc'],
  ] as const
  for (const [what, script] of losses) {
    it(`is said to have destroyed its machine where it ${what}`, async () => {
      const passwords = readFileSync('/etc/passwd', 'utf8')
      await withMachine(async (machine) => {
        assert.equal(
          (await machine.run(scriptToRun(script))).ruin,
          "deleted or unmounted its machine's own programs or /proc",
        )
        assert.deepEqual(Object.keys(await machine.run(scriptToRun('echo goes on'))), ['output', 'ruin'])
      })
      assert.equal(readFileSync('/etc/passwd', 'utf8'), passwords)
      assert.equal(existsSync('/usr/bin/bash'), true)
    })
  }

  it('cannot end its machine, and ends no process of the real one', async () => {
    await withMachine(async (machine) => {
      assert.deepEqual(await says(machine, 'kill -KILL 1; kill -KILL -1 2>/dev/null; echo goes on'), [
        'goes on',
        'exit 0',
      ])
      assert.deepEqual(await says(machine, 'echo and on'), ['and on', 'exit 0'])
    })
  })

  it('may not set the clock, make a disk, load into the kernel, or read what that says', async () => {
    await withMachine(async (machine) => {
      const script = `for command in 'date -s 2001-01-01' 'mknod /tmp/disk b 254 0' 'dmesg' 'hwclock --systohc'; do
        if $command >/dev/null 2>&1; then echo "$command"; fi
      done`
      assert.deepEqual(await says(machine, script), ['exit 0'])
    })
  })

  it('has no network', async () => {
    await withMachine(async (machine) => {
      assert.deepEqual(await says(machine, '(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null || echo none'), [
        'none',
        'exit 0',
      ])
    })
  })

  const fillings = [
    [
      'a gibibyte',
      'head -c 2G /dev/zero >/srv/full 2>/dev/null; stat -f -c "%b blocks of %s" /srv',
      '262144 blocks of 4096',
    ],
    [
      'a hundred thousand files',
      'for i in {1..103}; do mkdir -p /srv/$i/{1..1000} 2>/dev/null; done; stat -f -c "%c files" /srv',
      '102400 files',
    ],
  ] as const
  for (const [what, script, most] of fillings) {
    it(`is said to have filled its machine after ${what}`, async () => {
      await withMachine(async (machine) => {
        const { output, ruin } = await machine.run(scriptToRun(script))
        assert.deepEqual([output.trim(), ruin], [most, "filled its machine's disk"])
      })
    })
  }

  it('may make a file of any size, which is neither read nor kept as a whole', async () => {
    await withMachine(async (machine) => {
      await machine.prepare('truncate -s 1T /srv/swapfile; truncate -s 1T /srv/other; echo x >>/srv/other')
      const { files } = await machine.state()
      const content = files.get('/srv/swapfile')?.content ?? ''
      assert.match(content, /^1099511627776 bytes, sha256:[0-9a-f]{64}$/)
      assert.notEqual(files.get('/srv/other')?.content, content)
      const copy = await machines.make(await machine.save())
      try {
        assert.deepEqual(await says(copy, 'stat -c %s /srv/swapfile'), ['1099511627776', 'exit 0'])
      } finally {
        await copy.close()
      }
    })
  })

  it('leaves no process behind that nobody tells of', async () => {
    await withMachine(async (machine) => {
      await machine.run(scriptToRun('setsid tail -f /dev/null & exec -a unit-1 tail -f /dev/null &'))
      assert.deepEqual((await machine.state()).processes, ['tail -f /dev/null', 'unit-1 -f /dev/null'])
    })
  })

  it('leaves no container behind that has lost its shim', async () => {
    await withMachine(async (machine) => {
      await machine.prepare('. /.sandbox/lib.bash; . /.sandbox/stubs/pods.bash; start_pods')
      const { containers, processes } = await machine.state()
      assert.deepEqual([containers, processes], [1, []])
      await machine.prepare('pkill -KILL -f -- "-namespace k8s.io"')
      assert.deepEqual((await machine.state()).processes, [
        '/bin/bash -p /.sandbox/stubs/containerd-shim-runc-v2 container',
      ])
    })
  })
})
