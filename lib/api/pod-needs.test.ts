import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PodSpec } from './pod.ts'
import { podNeedsOf } from './pod-needs.ts'

function requests(spec: object): Readonly<Record<string, string>> {
  return podNeedsOf({ spec: PodSpec.parse({ containers: [], ...spec }) }).requests
}
function container(cpu: string, more: object = {}) {
  return { name: 'c', resources: { requests: { cpu } }, ...more }
}
const sidecar = { restartPolicy: 'Always' }

describe('podNeedsOf', () => {
  it('adds containers and counts the pod itself', () => {
    assert.deepEqual(
      requests({
        containers: [
          { name: 'a', resources: { requests: { cpu: '500m', memory: '1Gi' } } },
          { name: 'b', resources: { requests: { cpu: '1', memory: '512Mi' } } },
        ],
      }),
      { cpu: '1500m', memory: '1536Mi', pods: '1' },
    )
  })

  it('KS-33: lets a larger init container decide', () => {
    assert.equal(requests({ containers: [container('1')], initContainers: [container('3')] })['cpu'], '3')
    assert.equal(requests({ containers: [container('4')], initContainers: [container('3')] })['cpu'], '4')
  })

  it('KS-33: adds sidecars to the containers', () => {
    const spec = { containers: [container('1')], initContainers: [container('2', sidecar)] }
    assert.equal(requests(spec)['cpu'], '3')
  })

  it('KS-33: adds sidecars to the init containers that start after them, not before', () => {
    const first = { containers: [container('1')], initContainers: [container('2', sidecar), container('5')] }
    assert.equal(requests(first)['cpu'], '7')
    const last = { containers: [container('1')], initContainers: [container('5'), container('2', sidecar)] }
    assert.equal(requests(last)['cpu'], '5')
  })

  it('KS-33: lets pod-level resources take the place of the sum', () => {
    const spec = { containers: [container('1'), container('1')], resources: { requests: { cpu: '1500m' } } }
    assert.equal(requests(spec)['cpu'], '1500m')
  })

  it('KS-33: counts limits where requests are missing', () => {
    const containers = [{ name: 'a', resources: { limits: { cpu: '2' }, requests: { memory: '1Gi' } } }]
    assert.deepEqual(requests({ containers }), { cpu: '2', memory: '1Gi', pods: '1' })
  })

  it('KS-33: needs nothing but its own place when nothing is asked for', () => {
    assert.deepEqual(requests({ containers: [{ name: 'a' }] }), { pods: '1' })
  })

  it('KS-55: adds the overhead of the runtime class', () => {
    assert.equal(requests({ containers: [container('1')], overhead: { cpu: '250m' } })['cpu'], '1250m')
  })

  it('collects host ports of containers and sidecars', () => {
    const spec = PodSpec.parse({
      containers: [{ name: 'a', ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }] }],
      initContainers: [
        {
          name: 's',
          restartPolicy: 'Always',
          ports: [{ hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' }],
        },
        { name: 'i', ports: [{ hostPort: 99 }] },
      ],
    })
    assert.deepEqual(podNeedsOf({ spec }).hostPorts, [
      { hostIP: '', port: 8080, protocol: 'TCP' },
      { hostIP: '10.0.0.1', port: 53, protocol: 'UDP' },
    ])
  })

  it('carries rules that it does not read along unchanged', () => {
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] }
    const spread = [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }]
    const spec = PodSpec.parse({
      containers: [],
      affinity: { podAffinity },
      topologySpreadConstraints: spread,
    })
    assert.deepEqual(podNeedsOf({ spec }).podAffinity, podAffinity)
    assert.deepEqual(podNeedsOf({ spec }).topologySpreadConstraints, spread)
  })
})
