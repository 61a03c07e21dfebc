// systemctl of a sandbox: the words and exit codes of systemd, and what it makes of unit files.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { makeSystemClock } from '../node/clock.ts'
import type { SteppedMachine, SteppedMachines } from '../../proof/ports.ts'
import { says } from '../../../test/support/says.ts'
import { makeSandboxes } from './sandboxes.ts'

const unit = `[Service]
ExecStart=/usr/local/bin/demo "two words" \${NAME} $MORE 100%% $$HOME
Environment="NAME=a b" MORE=c
Restart=always
RestartSec=3
[Install]
WantedBy=multi-user.target
`
const program = '#!/bin/bash\nprintf "<%s>" "$@"\necho\nread -r _ <> <(:)\n'

const hasRoot = process.platform === 'linux' && process.getuid?.() === 0
const skip = hasRoot ? false : 'only root may make a sandbox'

describe('systemctl of a sandbox', { skip }, () => {
  let machines: SteppedMachines
  let machine: SteppedMachine
  before(async () => {
    machines = await makeSandboxes({ clock: makeSystemClock() })
    machine = await machines.make()
    await machine.prepare(`
      mkdir -p /usr/local/bin
      cat >/usr/local/bin/demo <<'END'
${program}END
      chmod +x /usr/local/bin/demo
      cat >/etc/systemd/system/demo.service <<'END'
${unit}END
      printf '[Service]\\nType=oneshot\\nExecStart=/bin/true\\n' >/etc/systemd/system/once.service`)
  })
  after(async () => {
    await machine.close()
    await machines.close()
  })

  const rows: readonly (readonly [command: string, ...said: string[]])[] = [
    ['disable --now kubelet', 'Failed to disable unit: Unit file kubelet.service does not exist.', 'exit 1'],
    ['stop kubelet', 'Failed to stop kubelet.service: Unit kubelet.service not loaded.', 'exit 5'],
    ['start kubelet', 'Failed to start kubelet.service: Unit kubelet.service not found.', 'exit 5'],
    ['is-enabled kubelet', 'not-found', 'exit 4'],
    ['is-active kubelet', 'inactive', 'exit 4'],
    ['cat kubelet', 'No files found for kubelet.service.', 'exit 1'],
    ['is-enabled demo', 'disabled', 'exit 1'],
    ['is-active demo', 'inactive', 'exit 3'],
    ['is-enabled once', 'static', 'exit 0'],
    ['is-system-running', 'running', 'exit 0'],
  ]
  for (const [command, ...said] of rows) {
    it(`answers ${command} with ${said.join(', ')}`, async () => {
      assert.deepEqual(await says(machine, `systemctl ${command}`), said)
    })
  }

  it('gives a program its arguments as systemd splits and fills them in', async () => {
    await says(machine, 'systemctl start demo')
    assert.deepEqual(
      await says(machine, 'journalctl -u demo -n 2; systemctl is-active demo; systemctl stop demo'),
      ['<two words><a b><c><100%><$HOME>', 'Started demo.service.', 'active', 'exit 0'],
    )
  })

  it('knows a changed unit only after daemon-reload, and says so', async () => {
    await says(machine, 'systemctl enable --now demo')
    await says(machine, 'mkdir -p /etc/systemd/system/demo.service.d')
    await says(
      machine,
      "printf '[Service]\\nExecStart=\\nExecStart=/bin/false\\n' >/etc/systemd/system/demo.service.d/10-x.conf",
    )
    const [warning, activity] = await says(machine, 'systemctl restart demo; systemctl is-active demo')
    assert.match(
      warning ?? '',
      /^Warning: .* of demo\.service changed on disk\. Run 'systemctl daemon-reload'/,
    )
    assert.equal(activity, 'active')
    assert.deepEqual(
      await says(machine, 'systemctl daemon-reload; systemctl restart demo; systemctl is-active demo'),
      ['activating', 'exit 3'],
    )
    await says(machine, 'rm -r /etc/systemd/system/demo.service.d; systemctl daemon-reload')
    assert.deepEqual(await says(machine, 'sleep 3; systemctl is-active demo'), ['active', 'exit 0'])
    await says(machine, 'systemctl disable --now demo')
  })

  it('neither starts nor disables what is masked, and brings its enablement back with unmask', async () => {
    await says(machine, 'mv /etc/systemd/system/demo.service /usr/lib/systemd/system/; systemctl enable demo')
    await says(machine, 'systemctl mask demo')
    assert.deepEqual(await says(machine, 'systemctl start demo'), [
      'Failed to start demo.service: Unit demo.service is masked.',
      'exit 1',
    ])
    assert.deepEqual(await says(machine, 'systemctl disable --now demo'), [
      'Unit /etc/systemd/system/demo.service is masked, ignoring.',
      'exit 0',
    ])
    assert.deepEqual(await says(machine, 'systemctl -q unmask demo; systemctl is-enabled demo'), [
      'enabled',
      'exit 0',
    ])
  })

  it('takes a mask of /run away only when asked for that', async () => {
    await says(machine, 'systemctl mask --runtime demo')
    const state = 'systemctl is-enabled demo || true'
    assert.deepEqual(await says(machine, `systemctl -q unmask demo; ${state}`), ['masked', 'exit 0'])
    assert.deepEqual(await says(machine, `systemctl -q unmask --runtime demo; ${state}`), [
      'enabled',
      'exit 0',
    ])
  })

  it('starts at a reboot what is enabled, and nothing else', async () => {
    await says(machine, 'systemctl enable demo; systemctl start once')
    await machine.reboot()
    assert.deepEqual(await says(machine, 'systemctl is-active demo once'), ['active', 'inactive', 'exit 0'])
    await says(machine, 'systemctl disable demo')
    await machine.reboot()
    assert.deepEqual(await says(machine, 'systemctl is-active demo'), ['inactive', 'exit 3'])
  })
})
