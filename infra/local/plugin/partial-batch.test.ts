import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { failedRecordIds } from './partial-batch.ts'

const ids = ['m1', 'm2', 'm3']
const failed = (reply: unknown): readonly string[] => [...failedRecordIds(reply, ids)]

describe('failedRecordIds', () => {
  it('DEV-01: keeps exactly the records that the function reported', () => {
    assert.deepEqual(failed({ batchItemFailures: [{ itemIdentifier: 'm2' }] }), ['m2'])
  })

  it('DEV-01: takes an empty reply for success', () => {
    for (const reply of [undefined, null, {}, { batchItemFailures: null }, { batchItemFailures: [] }]) {
      assert.deepEqual(failed(reply), [], JSON.stringify(reply))
    }
  })

  it('DEV-01: takes a malformed reply for the failure of the whole batch', () => {
    const malformed: readonly unknown[] = [
      'done',
      true,
      { batchItemFailures: 'm2' },
      { batchItemFailures: {} },
      { batchItemFailures: [null] },
      { batchItemFailures: ['m2'] },
      { batchItemFailures: [{}] },
      { batchItemFailures: [{ messageId: 'm2' }] },
      { batchItemFailures: [{ itemIdentifier: null }] },
      { batchItemFailures: [{ itemIdentifier: '' }] },
      { batchItemFailures: [{ itemIdentifier: 'm2' }, {}] },
    ]
    for (const reply of malformed) assert.deepEqual(failed(reply), ids, JSON.stringify(reply))
  })

  it('DEV-01: takes an id that is not in the batch for the failure of the whole batch', () => {
    assert.deepEqual(failed({ batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'm9' }] }), ids)
  })
})
