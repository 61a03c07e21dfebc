import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { agentFiles } from './agent-files.ts'
import type { FileState } from './ports.ts'

function files(contents: Readonly<Record<string, string>>): ReadonlyMap<string, FileState> {
  return new Map(
    Object.entries(contents).map(([path, content]) => [
      path,
      { kind: 'file', mode: 0o644, owner: 'root:root', content },
    ]),
  )
}

describe('agentFiles', () => {
  it('are the unit file and the program of the last ExecStart, drop-ins by their name', () => {
    const found = files({
      '/usr/lib/systemd/system/kubelet.service': '[Service]\nExecStart=/usr/bin/kubelet\n',
      '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf':
        'ExecStart=\nExecStart=/usr/bin/wrong $X\n',
      '/etc/systemd/system/kubelet.service.d/90-kpssh.conf':
        'ExecStart=\nExecStart=-/opt/kubelet --config=x\n',
      '/opt/kubelet': '',
      '/usr/bin/kubelet': '',
    })
    assert.deepEqual(agentFiles(found, 'kubelet.service'), [
      '/usr/lib/systemd/system/kubelet.service',
      '/opt/kubelet',
    ])
  })
  it('are nothing where nothing is there, and no program that is not of the machine', () => {
    assert.deepEqual(agentFiles(files({}), 'kubelet.service'), [])
    const real = files({ '/etc/systemd/system/a.service': 'ExecStart=/usr/bin/sleep 9' })
    assert.deepEqual(agentFiles(real, 'a.service'), ['/etc/systemd/system/a.service'])
  })
})
