import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SecretsManagerServiceException } from '@aws-sdk/client-secrets-manager'
import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'
import { makeSecretReader, type ReadSecret } from './secret-reader.ts'

function reader(answer: () => Promise<unknown>): ReadSecret {
  return makeSecretReader({ send: answer } as Parameters<typeof makeSecretReader>[0])
}
function refusal(name: string, $fault: 'client' | 'server'): () => Promise<never> {
  return () =>
    Promise.reject(new SecretsManagerServiceException({ name, $fault, message: 'no', $metadata: {} }))
}

describe('makeSecretReader', () => {
  it('reads text', async () => {
    assert.equal(
      await reader(() => Promise.resolve({ SecretString: 'apiVersion: v1' }))('kpssh/dev/lab'),
      'apiVersion: v1',
    )
  })

  it('takes a secret that is missing, out of reach or without text for a mistake in our configuration', async () => {
    const mistakes = [
      refusal('ResourceNotFoundException', 'client'),
      refusal('AccessDeniedException', 'client'),
      () => Promise.resolve({ SecretBinary: new Uint8Array() }),
    ]
    for (const answer of mistakes) {
      await assert.rejects(
        reader(answer)('kpssh/dev/lab'),
        (error) => error instanceof ConfigError && error.message.includes('"kpssh/dev/lab"'),
      )
    }
  })

  it('takes throttling, faults of the service and a dead connection for something that passes', async () => {
    const passing = [
      refusal('ThrottlingException', 'client'),
      refusal('InternalServiceError', 'server'),
      () => Promise.reject(new Error('ECONNRESET')),
    ]
    for (const answer of passing) await assert.rejects(reader(answer)('kpssh/dev/lab'), TransientError)
  })
})
