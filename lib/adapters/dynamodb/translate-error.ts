import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'

const throttled = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'LimitExceededException',
])
const misconfigured = new Set([
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'ResourceNotFoundException',
  'UnrecognizedClientException',
  'ValidationException',
])
const networkCodes = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_STREAM|EPROTO)/

/** What the SDK threw, as our error; anything that is not its own is a bug and stays what it is. */
export function translateError(error: unknown, action: string): unknown {
  if (!(error instanceof Error)) return error
  if (throttled.has(error.name)) {
    return new TransientError(`Cannot ${action}: the table is throttled, it must be tried again later`, {
      reason: 'TableThrottled',
      cause: error,
    })
  }
  if (misconfigured.has(error.name)) {
    return new ConfigError(
      `Cannot ${action}: the table answered ${error.name}, its name, region, permissions and request must be right`,
      { reason: 'TableMisconfigured', details: { answer: error.name }, cause: error },
    )
  }
  if (isUnavailable(error)) {
    return new TransientError(`Cannot ${action}: the table did not answer, it must be tried again later`, {
      reason: 'TableUnavailable',
      cause: error,
    })
  }
  return error
}

function isUnavailable(error: Error): boolean {
  if (error.name === 'TimeoutError' || error.name === 'AbortError' || error.name === 'NetworkingError')
    return true
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown }
  if (($metadata?.httpStatusCode ?? 0) >= 500) return true
  return typeof code === 'string' && networkCodes.test(code)
}
