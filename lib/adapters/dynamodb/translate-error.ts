import { ConfigError } from '../../errors/config-error.ts'
import { TransientError } from '../../errors/transient-error.ts'

const throttled = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'LimitExceededException',
])
const missing: Readonly<Record<string, string>> = {
  CredentialsProviderError: 'no AWS credentials are found, log in or set AWS_PROFILE',
  ResourceNotFoundException: 'there is no such table, its name and region must be right',
}
const misconfigured = new Set([
  'AccessDeniedException',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
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
  const state = misconfiguration(error)
  if (state !== undefined) {
    return new ConfigError(`Cannot ${action}: ${state}`, {
      reason: 'TableMisconfigured',
      details: { answer: error.name },
      cause: error,
    })
  }
  if (isUnavailable(error)) {
    return new TransientError(`Cannot ${action}: the table did not answer, it must be tried again later`, {
      reason: 'TableUnavailable',
      cause: error,
    })
  }
  return error
}

function misconfiguration({ name, message }: Error): string | undefined {
  // The SDK has no name for it.
  if (message === 'Region is missing') return 'no AWS region is known, set AWS_REGION or give --region'
  if (missing[name] !== undefined) return missing[name]
  if (!misconfigured.has(name)) return undefined
  return `the table answered ${name}, its name, region, permissions and request must be right`
}

function isUnavailable(error: Error): boolean {
  if (error.name === 'TimeoutError' || error.name === 'AbortError' || error.name === 'NetworkingError')
    return true
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown }
  if (($metadata?.httpStatusCode ?? 0) >= 500) return true
  return typeof code === 'string' && networkCodes.test(code)
}
