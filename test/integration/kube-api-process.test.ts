import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'

const main = fileURLToPath(new URL('../../infra/local/kube-api/main.ts', import.meta.url))
const crds = fileURLToPath(new URL('../../infra/crds', import.meta.url))
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
const skip = hasKubectl ? false : 'kubectl is not installed'

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}
`
const node = 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n'
const status = JSON.stringify({
  status: {
    capacity: { cpu: '2', memory: '1Gi', pods: '10' },
    nodeInfo: { kubeletVersion: 'v1.36.2-demo' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
})
const host = (name: string, address: string): string => `
apiVersion: karpenter.dklesev.github.io/v1beta1
kind: SSHHost
metadata: {name: ${name}, namespace: default, labels: {karpenter.dklesev.github.io/host-class: small}}
spec:
  address: ${address}
  capacity: {cpu: 2, memory: 4Gi}
  sshKeySecretRef: {name: key}
`

describe('the API server as a process of its own', () => {
  let directory: string
  let kubeconfig: string
  let child: ChildProcess
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kube-api-'))
    kubeconfig = join(directory, 'kubeconfig')
    const args = [main, '--kubeconfig', kubeconfig, '--address', '192.0.2.1', '--with-controllers']
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout!, 'data')
  })
  after(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await rm(directory, { recursive: true })
  })
  const kubectl = async (args: readonly string[], input = ''): Promise<string> => {
    const running = promisify(execFile)('kubectl', [`--kubeconfig=${kubeconfig}`, ...args])
    running.child.stdin?.end(input)
    return (await running).stdout
  }

  it('leaves a kubeconfig that only its owner can read', async () => {
    assert.equal((await stat(kubeconfig)).mode & 0o777, 0o600)
    assert.match(await readFile(kubeconfig, 'utf8'), /server: https:\/\/127\.0\.0\.1:\d+/)
  })

  it('takes manifests from kubectl, again and changed', { skip }, async () => {
    assert.match(await kubectl(['apply', '-f', crds]), /sshhosts\.karpenter\.dklesev\.github\.io created/)
    assert.match(await kubectl(['apply', '-f', '-'], host('h1', '192.0.2.7')), /h1 created/)
    assert.match(await kubectl(['apply', '-f', '-'], host('h1', '192.0.2.7')), /h1 unchanged/)
    await assert.rejects(kubectl(['apply', '-f', '-'], host('h1', '192.0.2.8')), /address is immutable/)
    await assert.rejects(
      kubectl(['apply', '-f', '-'], `${host('h2', 'a')}  sise: 1\n`),
      /unknown field "spec\.sise"/,
    )
  })

  it('shows kubectl the columns of our kinds', { skip }, async () => {
    const [head = '', row = ''] = (await kubectl(['get', 'sshhosts'])).split('\n')
    assert.deepEqual(head.split(/\s+/), [
      'NAME',
      'ADDRESS',
      'CLASS',
      'STATE',
      'READY',
      'CLAIM',
      'INSTALLED',
      'AGE',
    ])
    assert.deepEqual(row.split(/\s+/).slice(0, 3), ['h1', '192.0.2.7', 'small'])
    assert.match(
      await kubectl(['get', 'sshh,snc,sjp', '-o', 'name']),
      /sshhost\.karpenter\.dklesev\.github\.io\/h1/,
    )
    assert.match(await kubectl(['explain', 'sshhost.spec.port']), /integer/)
  })

  it('takes what kubectl itself makes', { skip }, async () => {
    assert.match(await kubectl(['create', 'namespace', 'made']), /created/)
    await kubectl(['create', 'secret', 'generic', 's', '--from-literal=privateKey=abc', '-n', 'made'])
    const path = "jsonpath='{.data.privateKey}'"
    assert.equal(await kubectl(['get', 'secret', 's', '-n', 'made', '-o', path]), "'YWJj'")
    await kubectl(['delete', 'namespace', 'made'])
  })

  it('runs the controllers of the demo cluster', { skip }, async () => {
    await kubectl(['apply', '-f', '-'], deployment)
    const pending = (): Promise<string> =>
      kubectl(['get', 'pods', '--field-selector=spec.nodeName=', '-o', 'name'])
    await eventually(async () => (await pending()).trim().split('\n').length === 2)
    assert.match(await pending(), /^pod\/web-/)
    await kubectl(['scale', 'deployment', 'web', '--replicas=1'])
    await eventually(
      async () => (await kubectl(['get', 'pods', '-o', 'name'])).trim().split('\n').length === 1,
    )
    assert.match(await kubectl(['describe', 'deployment', 'web']), /1 desired/)
    await kubectl(['apply', '-f', '-'], node)
    await kubectl(['patch', 'node', 'n1', '--subresource=status', '-p', status])
    await kubectl(['rollout', 'status', 'deployment', 'web', '--timeout=10s'])
    assert.match(await kubectl(['drain', 'n1', '--timeout=10s']), /drained/)
    await kubectl(['delete', 'deployment', 'web'])
    await eventually(async () => (await kubectl(['get', 'pods', '-o', 'name'])) === '')
  })

  it('ends when it is told to', async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
})
