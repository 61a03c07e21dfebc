import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { describe, it } from 'node:test'
import {
  aClusterObserved,
  aHostChanged,
  aProbeHosts,
  aRunPhase,
} from '../../test/support/builders/messages.ts'
import { decodeBody, encodeBody } from './message-body.ts'

function problemOf(text: string): string {
  const decoded = decodeBody(text)
  return decoded.kind === 'unreadable' ? `${decoded.path}: ${decoded.problem}` : 'readable'
}

function envelope(body: Buffer | string, cluster = 'lab'): string {
  const packed = Buffer.isBuffer(body) ? body : gzipSync(body)
  const base64 = packed.toString('base64')
  return JSON.stringify({
    type: 'ClusterObserved',
    version: 1,
    cluster,
    encoding: 'gzip+base64',
    body: base64,
  })
}

describe('encodeBody and decodeBody', () => {
  for (const message of [aRunPhase(), aProbeHosts(), aHostChanged(), aClusterObserved()]) {
    it(`carry a ${message.type} over a queue and back`, () => {
      assert.deepEqual(decodeBody(encodeBody(message)), { kind: 'message', message })
    })
  }

  it('keep what a RunPhase leaves out absent', () => {
    const { nodeClaim, ...message } = aRunPhase({ phase: 'leave' })
    assert.notEqual(nodeClaim, undefined)
    assert.deepEqual(decodeBody(encodeBody(message)), { kind: 'message', message })
  })

  it('pack an observation small and leave its cluster readable from outside', () => {
    const pod = {
      uid: 'uid',
      namespace: 'default',
      name: 'web',
      createdAtMs: 0,
      unschedulableSinceMs: 0,
      labels: {},
      needs: { requests: {}, nodeSelector: {}, requiredTerms: [], tolerations: [] },
    }
    const pendingPods = Array.from({ length: 2_000 }, (_, index) => ({ ...pod, uid: `uid-${index}` }))
    const message = aClusterObserved({ snapshot: { pendingPods: pendingPods as never } })
    const body = encodeBody(message)
    assert.ok(body.length * 10 < JSON.stringify(message).length)
    assert.match(body, /^\{"type":"ClusterObserved","version":1,"cluster":"lab",/)
  })

  it('escape the code points that queues refuse', () => {
    const body = encodeBody(aRunPhase({ reason: 'a\uFFFEb\uFFFFc' }))
    assert.doesNotMatch(body, /[\uFFFE\uFFFF]/)
    const decoded = decodeBody(body)
    assert.equal(
      decoded.kind === 'message' && decoded.message.type === 'RunPhase' && decoded.message.reason,
      'a\uFFFEb\uFFFFc',
    )
  })
})

describe('decodeBody', () => {
  it('names the path to what is wrong', () => {
    const wrong = { ...aProbeHosts(), hosts: [{ pool: 'lab', namespace: 'n', name: '' }] }
    assert.match(problemOf(JSON.stringify(wrong)), /^hosts\.0\.name: /)
    assert.match(problemOf(JSON.stringify({ ...aRunPhase(), phase: 'reboot' })), /^phase: /)
    assert.match(problemOf(JSON.stringify({ type: 'Unheard' })), /^type: /)
  })

  it('refuses what is no JSON, no message, and a field that nobody knows', () => {
    assert.equal(problemOf('{'), ': it is not JSON')
    assert.equal(problemOf(''), ': it is not JSON')
    assert.notEqual(problemOf('null'), 'readable')
    assert.notEqual(problemOf('[]'), 'readable')
    assert.match(problemOf(JSON.stringify({ ...aRunPhase(), extra: 1 })), /extra/)
  })

  it('refuses names that could not be parts of a key, and numbers and texts that nobody means', () => {
    for (const bad of ['a/b', 'a#b', 'a b', 'a\n', '\u001b[2J', 'a\u0000', 'x'.repeat(254)]) {
      const host = { ...aRunPhase().host, name: bad }
      assert.match(problemOf(JSON.stringify({ ...aRunPhase(), host })), /^host\.name: /)
    }
    for (const wrong of [
      { attempt: 1e9 },
      { attempt: 1.5 },
      { deadlineAtMs: 1e300 },
      { deadlineAtMs: -1 },
      { cluster: 'x'.repeat(254) },
      { reason: 'x'.repeat(1000) },
      { runId: 'x'.repeat(1000) },
    ]) {
      const [field = ''] = Object.keys(wrong)
      assert.match(problemOf(JSON.stringify({ ...aRunPhase(), ...wrong })), new RegExp(`^${field}: `))
    }
    assert.notEqual(
      problemOf(JSON.stringify(aRunPhase()).replace(/"attempt":1/, '"attempt":1e999')),
      'readable',
    )
  })

  it('refuses what another version sent', () => {
    assert.match(problemOf(JSON.stringify({ ...aRunPhase(), version: 2 })), /^version: /)
  })

  it('refuses an envelope around nothing, garbage, another message and another cluster', () => {
    assert.match(problemOf(envelope(Buffer.from('no gzip'))), /^body: it is not gzip data/)
    assert.equal(problemOf(envelope('{')), 'body: it is not JSON')
    assert.notEqual(problemOf(envelope('{}')), 'readable')
    assert.match(problemOf(envelope(JSON.stringify(aClusterObserved()), 'other')), /^cluster: /)
  })

  it('does not unpack more than its bound, however small the body looks', () => {
    const bomb = gzipSync(Buffer.alloc(65 * 1_048_576))
    assert.ok(bomb.length < 100_000)
    assert.match(problemOf(envelope(bomb)), /at most 67108864 bytes/)
  })

  it('does not read a body that no queue could have carried', () => {
    assert.match(problemOf(JSON.stringify('x'.repeat(1_048_577))), /longer than the 1048576 bytes/)
  })

  it('survives nesting that goes on for ever', () => {
    assert.notEqual(problemOf('['.repeat(1_000_000)), 'readable')
    assert.notEqual(problemOf(envelope('['.repeat(2_000_000))), 'readable')
  })
})
