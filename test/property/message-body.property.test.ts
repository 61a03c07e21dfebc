import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeBody, encodeBody } from '../../lib/messages/message-body.ts'
import { aClusterObserved, aProbeHosts, aRunPhase } from '../support/builders/messages.ts'

const bodies = [aRunPhase(), aProbeHosts(), aClusterObserved()].map(encodeBody)

describe('decodeBody', () => {
  it('answers for any text, any JSON and any JSON in an envelope, and never throws', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.jsonValue().map((value) => JSON.stringify({ ...aRunPhase(), host: value })),
      fc.uint8Array().map((bytes) => wrapped(Buffer.from(bytes))),
      fc
        .jsonValue()
        .map((value) => wrapped(gzipSync(JSON.stringify({ ...aClusterObserved(), snapshot: value })))),
    )
    fc.assert(
      fc.property(anything, (text) => {
        assert.ok(['message', 'unreadable'].includes(decodeBody(text).kind))
      }),
    )
  })

  it('answers for every message that lost or changed a part on its way', () => {
    const torn = fc.record({
      body: fc.constantFrom(...bodies),
      at: fc.nat(),
      length: fc.nat(20),
      put: fc.string(),
    })
    fc.assert(
      fc.property(torn, ({ body, at, length, put }) => {
        const from = at % body.length
        const decoded = decodeBody(body.slice(0, from) + put + body.slice(from + length))
        if (decoded.kind === 'message') assert.deepEqual(decodeBody(encodeBody(decoded.message)), decoded)
      }),
      { numRuns: 500 },
    )
  })
})

function wrapped(bytes: Buffer): string {
  const body = bytes.toString('base64')
  return JSON.stringify({
    type: 'ClusterObserved',
    version: 1,
    cluster: 'lab',
    encoding: 'gzip+base64',
    body,
  })
}
