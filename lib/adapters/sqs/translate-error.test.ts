import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'
import { translateError } from './translate-error.ts'

function failure(name: string, fields: object = {}): Error {
  return Object.assign(new Error('from the SDK'), { name, ...fields })
}

describe('translateError', () => {
  it('makes throttling, timeouts, lost connections and 5xx transient', () => {
    const causes = [
      failure('RequestThrottled'),
      failure('OverLimit'),
      failure('TimeoutError'),
      failure('Error', { code: 'ECONNREFUSED' }),
      failure('ServiceUnavailable', { $metadata: { httpStatusCode: 503 } }),
    ]
    for (const cause of causes)
      assert.ok(translateError(cause, 'send to queue "x"') instanceof TransientError)
  })

  it('makes a queue that is missing or denied a wrong deployment', () => {
    for (const name of ['QueueDoesNotExist', 'AccessDenied', 'KmsDisabled']) {
      assert.ok(translateError(failure(name), 'send to queue "x"') instanceof ConfigError)
    }
  })

  it('leaves a bug what it is', () => {
    const bug = new TypeError('x is not a function')
    assert.equal(translateError(bug, 'send to queue "x"'), bug)
  })
})
