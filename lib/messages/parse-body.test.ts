import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHostChanged, aRunPhase } from '../../test/support/builders/messages.ts'
import { SpecError } from '../errors/spec-error.ts'
import { encodeBody } from './message-body.ts'
import { parseBody } from './parse-body.ts'

describe('parseBody', () => {
  it('gives the message that the queue is for', () => {
    assert.equal(parseBody(encodeBody(aRunPhase()), 'RunPhase').phase, 'join')
  })

  it('refuses a message that belongs to another queue', () => {
    assert.throws(() => parseBody(encodeBody(aRunPhase()), 'ClusterObserved', 'HostChanged'), {
      name: 'SpecError',
      message:
        'Cannot read message at "type": it is a RunPhase, it must be a valid ClusterObserved or HostChanged',
    })
  })

  it('says where a message is wrong and what it must be', () => {
    const body = JSON.stringify({ ...aHostChanged(), what: 'reboot' })
    assert.throws(
      () => parseBody(body, 'HostChanged'),
      (error) => {
        assert.ok(error instanceof SpecError)
        assert.equal(error.reason, 'MessageUnreadable')
        assert.match(error.message, /^Cannot read message at "what": .*, it must be a valid HostChanged$/)
        return true
      },
    )
  })
})
