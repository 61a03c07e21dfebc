import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readStartOptions } from './options.ts'

describe('readStartOptions', () => {
  it('starts the demo when no cluster is named', () => {
    assert.deepEqual(readStartOptions([], {}), {
      isHelp: false,
      isYes: false,
      kubeconfig: undefined,
      name: 'demo',
      namespace: 'kpssh-system',
      guardSeconds: undefined,
    })
  })
  it('takes the cluster of KUBECONFIG, and an empty one for none', () => {
    const { kubeconfig, name } = readStartOptions(['--yes'], { KUBECONFIG: '/tmp/config' })
    assert.deepEqual([kubeconfig, name], ['/tmp/config', 'local'])
    assert.equal(readStartOptions([], { KUBECONFIG: '' }).kubeconfig, undefined)
  })
  it('takes the kubeconfig of the demo itself, which a shell may still export, for none', () => {
    const demo = fileURLToPath(new URL('../../../.kpssh/demo-kubeconfig', import.meta.url))
    const { kubeconfig, name } = readStartOptions([], { KUBECONFIG: demo })
    assert.deepEqual([kubeconfig, name], [undefined, 'demo'])
  })
  it('lets an option win over the environment', () => {
    const environment = { KPSSH_LOCAL_GUARD_SECONDS: '30' }
    assert.equal(readStartOptions([], environment).guardSeconds, 30)
    assert.equal(readStartOptions(['--guard-seconds', '5'], environment).guardSeconds, 5)
  })
  it('names what it cannot use', () => {
    assert.throws(() => readStartOptions(['--guard-seconds', 'often'], {}), /"often"/)
    assert.throws(() => readStartOptions(['--name', 'My Cluster'], {}), /"My Cluster"/)
    assert.throws(() => readStartOptions(['--yess'], {}), /--yess/)
  })
})
