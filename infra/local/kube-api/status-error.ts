// Everything an API server refuses is one of these, thrown anywhere below a request and written as a Status body.
import type { JsonRecord } from './json.ts'

export interface Cause {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly Cause[]
  readonly retryAfterSeconds?: number
}

/** What a Status names: its group is left out of the details when it is the core group. */
export interface Subject {
  readonly group: string
  readonly plural: string
  readonly kind: string
}

export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  /** For a list whose continue token is spent: the token that goes on from the present state. */
  readonly continueToken: string | undefined

  constructor(
    code: number,
    reason: string,
    message: string,
    more: { readonly details?: StatusDetails; readonly continueToken?: string } = {},
  ) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.reason = reason
    this.details = more.details
    this.continueToken = more.continueToken
  }

  toStatus(): JsonRecord {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      ...(this.details && { details: this.details }),
      code: this.code,
    }
  }
}

export function qualified(word: string, group: string): string {
  return group === '' ? word : `${word}.${group}`
}

function detailsOf(subject: Subject, name: string, kind = subject.plural): StatusDetails {
  return { name, ...(subject.group !== '' && { group: subject.group }), kind }
}

export function notFound(subject: Subject, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualified(subject.plural, subject.group)} "${name}" not found`, {
    details: detailsOf(subject, name),
  })
}

export function alreadyExists(subject: Subject, name: string): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${qualified(subject.plural, subject.group)} "${name}" already exists`,
    { details: detailsOf(subject, name) },
  )
}

export function conflict(subject: Subject, name: string, why: string, kind = subject.plural): StatusError {
  const what = qualified(kind, subject.group)
  return new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${what} "${name}": ${why}`, {
    details: detailsOf(subject, name, kind),
  })
}

export function invalid(
  subject: Subject,
  name: string,
  causes: readonly Cause[],
  kind = subject.kind,
): StatusError {
  const texts = [...new Set(causes.map(({ field, message }) => `${field ?? '<nil>'}: ${message}`))]
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new StatusError(
    422,
    'Invalid',
    `${qualified(kind, subject.group)} "${name}" is invalid: ${text ?? ''}`,
    {
      details: { ...detailsOf(subject, name, kind), causes },
    },
  )
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message)
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized')
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  )
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}

export function tooLarge(limitBytes: number): StatusError {
  return new StatusError(
    413,
    'RequestEntityTooLarge',
    `Request entity too large: limit is ${String(limitBytes)}`,
  )
}

export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError(410, 'Expired', message, continueToken === undefined ? {} : { continueToken })
}

export function causeInvalid(field: string, message: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${message}`, field }
}

export function causeForbidden(field: string, message: string): Cause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${message}`, field }
}

export function causeRequired(field: string, message = ''): Cause {
  return {
    reason: 'FieldValueRequired',
    message: message === '' ? 'Required value' : `Required value: ${message}`,
    field,
  }
}
