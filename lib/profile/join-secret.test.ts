import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { joinSecretValues } from './join-secret.ts'

function secret(data: Record<string, string>) {
  return { metadata: { name: 'join' }, data }
}

describe('joinSecretValues', () => {
  it('gives text by key, as it is', () => {
    assert.deepEqual(joinSecretValues(secret({ a: 'w6kK', b: '' })), { a: 'é\n', b: '' })
  })
  it('refuses bytes that are no text without showing them', () => {
    assert.throws(() => joinSecretValues(secret({ key: '/w==' })), {
      reason: 'SecretNotText',
      message: 'Cannot use key "key" of secret "join": its value is not UTF-8 text, store it as base64 text',
    })
  })
})
