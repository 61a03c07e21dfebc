import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'

const throttled = new Set(['OverLimit', 'RequestThrottled', 'ThrottlingException', 'KmsThrottled'])
const misconfigured = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'InvalidAddress',
  'InvalidClientTokenId',
  'InvalidMessageContents',
  'InvalidParameterValue',
  'InvalidSecurity',
  'InvalidSignatureException',
  'KmsAccessDenied',
  'KmsDisabled',
  'KmsInvalidState',
  'KmsNotFound',
  'MissingAuthenticationTokenException',
  'QueueDoesNotExist',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
  'UnsupportedOperation',
])
const networkCodes = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ERR_STREAM|EPROTO)/

/** What the SDK threw, as our error; anything that is not its own is a bug and stays what it is. */
export function translateError(error: unknown, action: string): unknown {
  if (!(error instanceof Error)) return error
  if (throttled.has(error.name)) {
    return new TransientError(`Cannot ${action}: the queue is throttled, it must be tried again later`, {
      reason: 'QueueThrottled',
      cause: error,
    })
  }
  if (misconfigured.has(error.name)) {
    return new ConfigError(
      `Cannot ${action}: the queue answered ${error.name}, its URL, region, permissions and request must be right`,
      { reason: 'QueueMisconfigured', details: { answer: error.name }, cause: error },
    )
  }
  if (isUnavailable(error)) {
    return new TransientError(`Cannot ${action}: the queue did not answer, it must be tried again later`, {
      reason: 'QueueUnavailable',
      cause: error,
    })
  }
  return error
}

function isUnavailable(error: Error): boolean {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return true
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown }
  if (($metadata?.httpStatusCode ?? 0) >= 500) return true
  return typeof code === 'string' && networkCodes.test(code)
}
