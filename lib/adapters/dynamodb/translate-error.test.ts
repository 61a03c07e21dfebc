import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'
import { translateError } from './translate-error.ts'

function failure(name: string, fields: object = {}): Error {
  return Object.assign(new Error('from the SDK'), { name, ...fields })
}

describe('translateError', () => {
  it('makes throttling, timeouts, lost connections and 5xx transient, with the cause kept', () => {
    const causes = [
      failure('ProvisionedThroughputExceededException'),
      failure('ThrottlingException'),
      failure('TimeoutError'),
      failure('Error', { code: 'ECONNRESET' }),
      failure('Error', { code: 'ENOTFOUND' }),
      failure('InternalServerError', { $metadata: { httpStatusCode: 500 } }),
      failure('SomethingNew', { $metadata: { httpStatusCode: 503 } }),
    ]
    for (const cause of causes) {
      const error = translateError(cause, 'read item "x"')
      assert.ok(error instanceof TransientError, cause.name)
      assert.equal(error.cause, cause)
    }
  })

  it('makes a denied or malformed request a wrong deployment', () => {
    for (const name of ['AccessDeniedException', 'ResourceNotFoundException', 'CredentialsProviderError']) {
      assert.ok(translateError(failure(name), 'read item "x"') instanceof ConfigError)
    }
  })

  it('says what could not be done, in which state, and what must be', () => {
    const error = translateError(failure('AccessDeniedException'), 'read item "pool#lab"')
    assert.ok(error instanceof Error)
    assert.equal(
      error.message,
      'Cannot read item "pool#lab": the table answered AccessDeniedException, ' +
        'its name, region, permissions and request must be right',
    )
  })

  it('says which of the usual things is missing', () => {
    const said = (error: Error) => {
      const translated = translateError(error, 'read item "x"')
      assert.ok(translated instanceof ConfigError)
      return translated.message
    }
    assert.equal(
      said(new Error('Region is missing')),
      'Cannot read item "x": no AWS region is known, set AWS_REGION or give --region',
    )
    assert.equal(
      said(failure('CredentialsProviderError')),
      'Cannot read item "x": no AWS credentials are found, log in or set AWS_PROFILE',
    )
    assert.equal(
      said(failure('ResourceNotFoundException')),
      'Cannot read item "x": there is no such table, its name and region must be right',
    )
  })

  it('leaves a bug what it is', () => {
    const bug = new TypeError('x is not a function')
    assert.equal(translateError(bug, 'read item "x"'), bug)
    assert.equal(translateError('thrown text', 'read item "x"'), 'thrown text')
  })
})
