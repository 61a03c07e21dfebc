import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { StatusError } from '../status-error.ts'
import { readProtobuf } from './read-protobuf.ts'

// As kubectl 1.32 sent it: kubectl -n default create configmap a --from-literal=x=y
const configMap = Buffer.from(
  '6b3873000a0f0a0276311209436f6e6669674d617012220a180a016112001a0764656661756c7422002a003200380042001206' +
    '0a01781201791a002200',
  'hex',
)

describe('readProtobuf', () => {
  it('reads what kubectl sends', () => {
    assert.deepEqual(readProtobuf(configMap), {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', generateName: '', namespace: 'default', uid: '', resourceVersion: '' },
      data: { x: 'y' },
    })
  })

  it('refuses a kind that it does not know', () => {
    const other = Buffer.from(configMap.toString('latin1').replace('ConfigMap', 'ConfigMop'), 'latin1')
    assert.throws(() => readProtobuf(other), { code: 415 })
  })

  it('answers to any bytes with an object or a refusal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat({ max: configMap.length }), (noise, at) => {
        const bytes = Buffer.concat([configMap.subarray(0, at), noise])
        try {
          readProtobuf(bytes)
        } catch (error) {
          assert.ok(error instanceof StatusError, String(error))
        }
      }),
    )
  })
})
