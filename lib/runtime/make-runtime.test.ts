import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HostError } from '../errors/host-error.ts'
import { makeLog } from './make-runtime.ts'

function setUp() {
  const lines: unknown[] = []
  const counted: string[] = []
  const write =
    (level: string) =>
    (...input: readonly unknown[]) =>
      void lines.push([level, ...input])
  const log = makeLog({ info: write('info'), warn: write('warn'), error: write('error') }, (event) =>
    counted.push(event),
  )
  return { log, lines, counted }
}

describe('makeLog', () => {
  it('writes the event as the message and the facts beside it', () => {
    const { log, lines } = setUp()
    log.info('claim.acquired', { hostName: 'h1' })
    assert.deepEqual(lines, [['info', 'claim.acquired', { hostName: 'h1' }]])
  })

  it('writes the chain of causes, outermost first, without their stacks where a code says enough', () => {
    const { log, lines } = setUp()
    const cause = new HostError('Cannot connect to "h1": refused', {
      reason: 'ConnectRefused',
      cause: 'ECONNREFUSED',
    })
    log.warn('record.retried', { cause })
    assert.deepEqual(lines, [
      [
        'warn',
        'record.retried',
        {
          causes: [
            {
              name: 'HostError',
              code: 'HOST_UNREACHABLE',
              message: 'Cannot connect to "h1": refused',
              reason: 'ConnectRefused',
            },
            { name: 'string', message: 'ECONNREFUSED' },
          ],
        },
      ],
    ])
  })

  it('counts events that alarms look at, and no others', () => {
    const { log, counted } = setUp()
    log.info('record.done')
    log.error('record.failed')
    log.error('guard.heartbeat-missing')
    assert.deepEqual(counted, ['record.failed', 'guard.heartbeat-missing'])
  })
})
