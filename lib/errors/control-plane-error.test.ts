import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, it } from 'node:test'
import { HostError } from './host-error.ts'

describe('ControlPlaneError', () => {
  const cause = new Error('socket hang up')
  const error = new HostError('Cannot connect to host "h1": no answer within 15 s', {
    reason: 'ConnectTimeout',
    details: { host: 'h1', port: 22 },
    cause,
  })

  it('carries its class, code, reason, safe details and cause', () => {
    assert.equal(error.name, 'HostError')
    assert.equal(error.code, 'HOST_UNREACHABLE')
    assert.equal(error.reason, 'ConnectTimeout')
    assert.deepEqual(error.details, { host: 'h1', port: 22 })
    assert.equal(error.cause, cause)
  })

  it('prints with its message and its cause', () => {
    assert.match(inspect(error), /Cannot connect to host "h1"[^]*socket hang up/)
  })

  it('needs no options', () => {
    const bare = new HostError('x')
    assert.equal(bare.reason, undefined)
    assert.deepEqual(bare.details, {})
    assert.equal(bare.cause, undefined)
  })
})
