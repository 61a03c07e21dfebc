import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changesBetween, renderChanges, volatileBy } from './changes.ts'
import type { FileState, MachineState } from './ports.ts'

function aFile(file: Partial<FileState> = {}): FileState {
  return { kind: 'file', mode: 0o644, owner: 'root:root', content: '', ...file }
}

function aState(files: Readonly<Record<string, FileState>>, rest: Partial<MachineState> = {}): MachineState {
  return {
    ...{ files: new Map(Object.entries(files)), units: new Map() },
    ...{ mounts: [], devices: [], containers: 0, ...rest },
  }
}

function rendered(before: MachineState, after: MachineState): readonly string[] {
  return renderChanges(changesBetween(before, after))
}

const nothing = aState({})

describe('renderChanges', () => {
  it('shows kind, mode, an owner that is not root, and what stands in small text files', () => {
    const after = aState({
      '/etc/b': aFile({ mode: 0o600, content: 'one\n\ntwo\n' }),
      '/etc/a': aFile({ owner: 'nobody:nogroup' }),
      '/etc/link': aFile({ kind: 'link', content: '/dev/null' }),
      '/etc': aFile({ kind: 'directory', mode: 0o755 }),
      '/etc/key': aFile({ content: '\u0000\u0001\u0002' }),
      '/etc/latin': aFile({ content: Buffer.from('grün').toString('latin1') }),
      '/etc/long': aFile({ content: 'x\n'.repeat(200) }),
      '/usr/bin/kubelet': aFile({ mode: 0o755, content: '#!/bin/bash -p\n. /.sandbox/stubs/kubelet\n' }),
    })
    assert.deepEqual(rendered(nothing, after), [
      '+ directory /etc 755',
      '+ file /etc/a 644 nobody:nogroup',
      '+ file /etc/b 600',
      '    one',
      '',
      '    two',
      '+ file /etc/key 644',
      '    (3 bytes)',
      '+ file /etc/latin 644',
      '    grün',
      '+ link /etc/link to /dev/null',
      '+ file /etc/long 644',
      '    (400 bytes)',
      '+ file /usr/bin/kubelet 755',
    ])
  })
  it('shows what is another: mode, kind, target, lines', () => {
    const before = aState({
      '/a': aFile({ content: 'one\ntwo\nthree\nfour\nfive' }),
      '/b': aFile(),
      '/c': aFile({ kind: 'link', content: '/x' }),
      '/d': aFile({ content: '\u0000' }),
      '/e': aFile({ content: 'same' }),
    })
    const after = aState({
      '/a': aFile({ mode: 0o600, content: 'one\ntwo\nthree\nFOUR\nfive' }),
      '/b': aFile({ kind: 'directory' }),
      '/c': aFile({ kind: 'link', content: '/y' }),
      '/d': aFile({ content: '\u0001' }),
      '/e': aFile({ content: 'same' }),
    })
    assert.deepEqual(rendered(before, after), [
      '~ file /a 644 -> 600',
      '      three',
      '    - four',
      '    + FOUR',
      '      five',
      '~ directory /b file 644 -> directory 644',
      '~ link /c to /x -> to /y',
      '~ file /d',
      '    (other content)',
    ])
  })
  it('counts what was in a directory that is gone', () => {
    const before = aState({
      '/opt': aFile({ kind: 'directory' }),
      '/opt/cni': aFile({ kind: 'directory' }),
      '/opt/cni/bin': aFile({ kind: 'directory' }),
      '/opt/cni/bin/bridge': aFile(),
      '/opt/cnidir': aFile(),
    })
    const after = aState({ '/opt': aFile({ kind: 'directory' }) })
    assert.deepEqual(rendered(before, after), ['- directory /opt/cni and 2 below', '- file /opt/cnidir'])
  })
  it('shows units, mounts, devices and containers', () => {
    const before = aState(
      {},
      {
        units: new Map([
          ['a.service', { enablement: 'enabled', activity: 'active' }],
          ['b.service', { enablement: 'disabled', activity: 'inactive' }],
        ]),
        ...{ mounts: ['/m', '/m'], devices: ['eth0'], containers: 2 },
      },
    )
    const after = aState(
      {},
      {
        units: new Map([
          ['a.service', { enablement: 'masked', activity: 'failed' }],
          ['c.service', { enablement: 'enabled', activity: 'activating' }],
        ]),
        ...{ mounts: ['/m', '/n'], devices: [], containers: 0 },
      },
    )
    assert.deepEqual(rendered(before, after), [
      '~ unit a.service enabled, active -> masked, failed',
      '- unit b.service',
      '+ unit c.service enabled, activating',
      '- mount /m',
      '+ mount /n',
      '- device eth0',
      '~ containers 2 -> 0',
    ])
  })
})

describe('volatileBy', () => {
  const volatile = volatileBy(['/var/log/', '/etc/stamp-*', '/etc/a.b'])
  it('leaves out what is below a directory, and the content of files', () => {
    const paths = ['/var/log', '/var/log/a/b', '/etc/stamp-1', '/etc/stamp-1/x', '/etc/a.b', '/etc/aXb']
    assert.deepEqual(paths.map(volatile), ['nothing', 'all', 'content', 'nothing', 'content', 'nothing'])
  })
  it('still shows that such a file is there, and its mode', () => {
    const before = aState({ '/etc/a.b': aFile({ content: '1' }), '/var/log/x': aFile() })
    const after = aState({ '/etc/a.b': aFile({ content: '2', mode: 0o600 }) })
    assert.deepEqual(renderChanges(changesBetween(before, after, volatile)), ['~ file /etc/a.b 644 -> 600'])
    assert.deepEqual(renderChanges(changesBetween(nothing, after, volatile)), ['+ file /etc/a.b 600'])
  })
})
