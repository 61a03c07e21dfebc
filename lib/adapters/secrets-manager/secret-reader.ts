// Text kept in Secrets Manager. Never cached here: whoever holds on to it knows when it has become wrong.
import {
  GetSecretValueCommand,
  SecretsManagerClient,
  SecretsManagerServiceException,
} from '@aws-sdk/client-secrets-manager'
import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'

export type ReadSecret = (secretID: string) => Promise<string>

/** Every attempt has an end, as with the other clients. */
export function makeSecretsManagerClient(): SecretsManagerClient {
  return new SecretsManagerClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  })
}

/** Throws ConfigError for a secret that is missing, empty or out of reach, TransientError for everything that may pass. */
export function makeSecretReader(client: Pick<SecretsManagerClient, 'send'>): ReadSecret {
  return async function readSecret(secretID) {
    const { SecretString } = await send(client, secretID)
    if (SecretString !== undefined && SecretString !== '') return SecretString
    throw new ConfigError(`Cannot read the secret "${secretID}": it holds no text, put it in as a string`, {
      reason: 'SecretUnreadable',
    })
  }
}

async function send(
  client: Pick<SecretsManagerClient, 'send'>,
  SecretId: string,
): Promise<{ SecretString?: string | undefined }> {
  try {
    return await client.send(new GetSecretValueCommand({ SecretId }))
  } catch (cause) {
    if (cause instanceof SecretsManagerServiceException && isOurFault(cause)) {
      throw new ConfigError(
        `Cannot read the secret "${SecretId}": ${cause.name}, name an existing one and let this function's role read it`,
        { reason: 'SecretUnreadable', cause },
      )
    }
    throw new TransientError(
      `Cannot read the secret "${SecretId}": Secrets Manager does not answer, it is tried again`,
      {
        reason: 'SecretsManagerUnavailable',
        cause,
      },
    )
  }
}

function isOurFault({ $fault, name }: SecretsManagerServiceException): boolean {
  return $fault === 'client' && name !== 'ThrottlingException' && name !== 'RequestTimeout'
}
