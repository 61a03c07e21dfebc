import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Cause, type Circumstances, isHostKeyNotOffered, translateError } from './translate-error.ts'

const at: Circumstances = {
  target: {
    label: 'h1',
    address: '10.0.0.1',
    port: 22,
    user: 'ops',
    privateKey: { reveal: () => '' },
    pins: [],
  },
  stage: 'handshake',
  sawBanner: true,
}
const thrown = (message: string, fields: object = {}): Cause => ({
  kind: 'error',
  error: Object.assign(new Error(message), fields),
})

describe('translateError', () => {
  const cases: readonly [string, Cause, Partial<Circumstances>][] = [
    ['ConnectTimeout', { kind: 'over', budgetMs: 5 }, { stage: 'connect' }],
    ['HandshakeTimeout', { kind: 'over', budgetMs: 5 }, {}],
    ['AuthTimeout', { kind: 'over', budgetMs: 5 }, { stage: 'auth' }],
    ['ChannelTimeout', { kind: 'over', budgetMs: 5 }, { stage: 'channel' }],
    ['Cancelled', { kind: 'cancelled' }, {}],
    ['ClosedBeforeBanner', { kind: 'closed' }, { sawBanner: false }],
    [
      'ClosedBeforeBanner',
      thrown('read ECONNRESET', { code: 'ECONNRESET', level: 'client-socket' }),
      { sawBanner: false },
    ],
    [
      'ClosedBeforeBanner',
      thrown('read ECONNRESET', { code: 'ECONNRESET' }),
      { stage: 'connect', sawBanner: false },
    ],
    [
      'ClosedBeforeBanner',
      thrown('Connection lost before handshake', { level: 'protocol' }),
      { sawBanner: false },
    ],
    ['ServerFloods', { kind: 'flood' }, {}],
    ['ConnectionLost', { kind: 'closed' }, {}],
    ['ConnectionLost', { kind: 'closed' }, { stage: 'auth' }],
    ['ConnectionLost', thrown('read ECONNRESET', { code: 'ECONNRESET' }), { stage: 'channel' }],
    ['ConnectRefused', thrown('', { code: 'ECONNREFUSED' }), { stage: 'connect' }],
    ['ConnectUnreachable', thrown('', { code: 'EHOSTUNREACH' }), { stage: 'connect' }],
    ['AddressUnknown', thrown('', { code: 'ENOTFOUND' }), { stage: 'connect' }],
    ['AddressUnknown', thrown('', { code: 'EAI_AGAIN' }), { stage: 'connect' }],
    ['ConnectTimeout', thrown('', { code: 'ETIMEDOUT' }), { stage: 'connect' }],
    ['ConnectFailed', thrown('', { code: 'EACCES' }), { stage: 'connect' }],
    [
      'HandshakeFailed',
      thrown('Handshake failed: no matching key exchange algorithm', { level: 'handshake' }),
      {},
    ],
    ['AuthFailed', thrown('', { level: 'client-authentication' }), { stage: 'auth' }],
    [
      'ChannelRefused',
      thrown('(SSH) Channel open failure: open failed', { reason: 1 }),
      { stage: 'channel' },
    ],
    ['ChannelRefused', thrown('Unable to exec'), { stage: 'channel' }],
  ]
  for (const [reason, cause, more] of cases) {
    it(`says ${reason} of ${JSON.stringify(cause)} in ${more.stage ?? 'handshake'}`, () => {
      const error = translateError(cause, { ...at, ...more })
      assert.equal(error.reason, reason)
      assert.equal(error.code, 'HOST_UNREACHABLE')
      assert.deepEqual(error.details, { host: 'h1', stage: more.stage ?? 'handshake' })
      assert.match(
        error.message,
        /^Cannot connect to "h1" \(ops at 10\.0\.0\.1 port 22\): (connect|handshake|auth|channel): \S.*, \S/,
      )
      assert.ok(!error.message.endsWith('.'))
      if (cause.kind === 'error') assert.equal(error.cause, cause.error)
    })
  }

  it('SSH-06: tells what a server wants that only a person can give', () => {
    const refusal = { methods: ['publickey', 'keyboard-interactive'], isPartial: true }
    const error = translateError(thrown('', { level: 'client-authentication' }), {
      ...at,
      stage: 'auth',
      refusal,
    })
    assert.equal(error.reason, 'InteractiveAuthRequired')
    assert.match(error.message, /publickey, keyboard-interactive/)
  })

  it('passes on no method that is only called one', () => {
    const methods = [
      '\u001b[2J',
      'x'.repeat(100_000),
      'a b',
      'hostbased',
      ...Array.from({ length: 1000 }, () => 'gssapi'),
    ]
    const told = (given: string[]) =>
      translateError(thrown('', { level: 'client-authentication' }), {
        ...at,
        stage: 'auth',
        refusal: { methods: given, isPartial: false },
      }).message
    assert.match(told(methods), /the server wants hostbased(, gssapi){4}, allow publickey/)
    assert.match(told(methods.slice(0, 3)), /the server wants an unknown method, /)
  })
})

describe('isHostKeyNotOffered', () => {
  it('knows a handshake that ended for want of a common host key type', () => {
    assert.equal(isHostKeyNotOffered(thrown('Handshake failed: no matching host key format')), true)
    assert.equal(isHostKeyNotOffered(thrown('Handshake failed: no matching C->S cipher')), false)
    assert.equal(isHostKeyNotOffered({ kind: 'closed' }), false)
  })
})
