// The edge between HTTP and our errors: nothing above this folder sees a status code.
import { ConfigError } from '../../errors/config-error.ts'
import type { ControlPlaneError } from '../../errors/control-plane-error.ts'
import { TransientError } from '../../errors/transient-error.ts'
import type { HttpCallError, HttpFailure } from './http-call.ts'
import type { RestAnswer } from './rest-exchange.ts'
import { statusOf } from './status.ts'

const reasons: Readonly<Record<HttpFailure['kind'], string>> = {
  'connect-timeout': 'ConnectTimeout',
  timeout: 'Timeout',
  'too-large': 'ResponseTooLarge',
  network: 'NetworkError',
}

/** A failure below HTTP. A certificate that nobody vouches for will not get better by waiting. */
export function networkError(doing: string, error: HttpCallError): ControlPlaneError {
  const { kind, code } = error.failure
  if (certificateCodes.test(code)) {
    return new ConfigError(
      `Cannot ${doing}: the API server's certificate is not trusted (${code}), configure the cluster's certificate authority`,
      { reason: 'CertificateNotTrusted', details: { code }, cause: error },
    )
  }
  return new TransientError(
    `Cannot ${doing}: the API server cannot be reached (${code}), it is tried again later`,
    {
      reason: reasons[kind],
      details: { code },
      cause: error,
    },
  )
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/

/** A status that no caller has an outcome for. */
export function statusError(doing: string, answer: RestAnswer): Error {
  const { status, retryAfterMs } = answer
  const explained = statusOf(answer.body)
  const details = { status, ...(explained?.reason === undefined ? {} : { statusReason: explained.reason }) }
  const rule = refusals(explained?.message)[status]
  if (rule !== undefined)
    return new ConfigError(`Cannot ${doing}: ${rule.problem}`, { reason: rule.reason, details })
  if (!isTransient(status))
    return new Error(`Cannot ${doing}: the API server answered ${status} ${explained?.reason ?? ''}`)
  return new TransientError(`Cannot ${doing}: the API server answered ${status}, it is tried again later`, {
    reason: status === 429 ? 'Throttled' : 'ServerError',
    details,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

function isTransient(status: number): boolean {
  return status === 429 || status === 408 || status >= 500
}

function refusals(
  message: string | undefined,
): Readonly<Record<number, { readonly reason: string; readonly problem: string }>> {
  return {
    401: {
      reason: 'Unauthorized',
      problem: 'the API server refused renewed credentials too, use an identity that it knows',
    },
    403: { reason: 'Forbidden', problem: `${textOf(message, 'forbidden')}, grant it to this identity` },
    404: {
      reason: 'NotServed',
      problem:
        'the API server does not serve it, install its CustomResourceDefinition or create its namespace',
    },
  }
}

/** What the server says about a bad object. Of Secrets only the fields are named: messages quote values. */
export function invalidMessage(kind: string, answer: RestAnswer): string {
  const explained = statusOf(answer.body)
  if (kind !== 'Secret') return textOf(explained?.message, 'invalid')
  return (
    explained?.details?.causes?.map((cause) => `${cause.field ?? ''}: ${cause.reason ?? ''}`).join(', ') ??
    'invalid'
  )
}

function textOf(message: string | undefined, otherwise: string): string {
  return message === undefined || message === '' ? otherwise : message.slice(0, 1024)
}
