import { SQSClient } from '@aws-sdk/client-sqs'

export interface SqsClientOptions {
  /** An emulator instead of the region's endpoint. */
  readonly endpoint?: string
  readonly region?: string
  readonly connectTimeoutMs?: number
  /** For one attempt, of three. */
  readonly requestTimeoutMs?: number
}

/** Every attempt has an end: a connection that died silently must not hold its user until some far timeout. */
export function makeSqsClient(options: SqsClientOptions = {}): SQSClient {
  const { endpoint, region, connectTimeoutMs = 1_000, requestTimeoutMs = 5_000 } = options
  return new SQSClient({
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
