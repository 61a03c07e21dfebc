import { DynamoDBClient } from '@aws-sdk/client-dynamodb'

export interface DynamoClientOptions {
  /** An emulator instead of the region's endpoint. */
  readonly endpoint?: string
  readonly region?: string
  readonly connectTimeoutMs?: number
  /** For one attempt, of three. */
  readonly requestTimeoutMs?: number
}

/** Every attempt has an end: a connection that died silently must not hold a function until its own timeout. */
export function makeDynamoClient(options: DynamoClientOptions = {}): DynamoDBClient {
  const { endpoint, region, connectTimeoutMs = 1_000, requestTimeoutMs = 3_000 } = options
  return new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined
      ? {}
      : {
          endpoint,
          region: region ?? 'us-east-1',
          credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' },
        }),
  })
}
