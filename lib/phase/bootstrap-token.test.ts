import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeRandom } from '../../test/support/fakes/random.ts'
import { newBootstrapToken, tokenExpiryMs, tokenSecret } from './bootstrap-token.ts'

describe('newBootstrapToken', () => {
  it('has six and sixteen letters or digits, each drawn evenly', () => {
    const limits: number[] = []
    const token = newBootstrapToken({
      below(limit) {
        limits.push(limit)
        return limits.length % limit
      },
    })
    assert.equal(token.id, '123456')
    assert.equal(token.secret, '789abcdefghijklm')
    assert.equal(token.text, '123456.789abcdefghijklm')
    assert.deepEqual(new Set(limits), new Set([36]))
    assert.equal(limits.length, 22)
  })
})

describe('tokenExpiryMs', () => {
  it('JOIN-01: outlives the join by a margin, and is an hour at least', () => {
    assert.equal(tokenExpiryMs(300_000, 0), 3_600_000)
    assert.equal(tokenExpiryMs(2 * 3_600_000, 0), 7_800_000)
  })
})

describe('tokenSecret', () => {
  it('ref 146: is what the token authenticator looks for', () => {
    const token = newBootstrapToken(fakeRandom(0))
    assert.deepEqual(tokenSecret(token, { nodeClaim: 'workers-abcde', expiresAtMs: 1_767_229_200_999 }), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'bootstrap-token-000000',
        namespace: 'kube-system',
        labels: { 'app.kubernetes.io/managed-by': 'kpssh' },
      },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': '000000',
        'token-secret': '0000000000000000',
        'usage-bootstrap-authentication': 'true',
        'usage-bootstrap-signing': 'true',
        'auth-extra-groups': 'system:bootstrappers:kpssh',
        expiration: '2026-01-01T01:00:00Z',
        description: 'kpssh nodeclaim workers-abcde',
      },
    })
  })
})
