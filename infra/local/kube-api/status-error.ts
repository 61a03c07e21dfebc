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

export interface Failure {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: StatusDetails
}

export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined

  constructor({ code, reason, message, details }: Failure) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.reason = reason
    this.details = details
  }

  toStatus(): JsonRecord {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
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

function detailsOf({ group }: Subject, name: string, kind: string): StatusDetails {
  return { name, ...(group !== '' && { group }), kind }
}

export function notFound(subject: Subject, name: string): StatusError {
  const message = `${qualified(subject.plural, subject.group)} "${name}" not found`
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message,
    details: detailsOf(subject, name, subject.plural),
  })
}

export function alreadyExists(subject: Subject, name: string): StatusError {
  const message = `${qualified(subject.plural, subject.group)} "${name}" already exists`
  return new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message,
    details: detailsOf(subject, name, subject.plural),
  })
}

export function conflict(subject: Subject, name: string, why: string): StatusError {
  const what = qualified(subject.plural, subject.group)
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${what} "${name}": ${why}`,
    details: detailsOf(subject, name, subject.plural),
  })
}

export function invalid(subject: Subject, name: string, causes: readonly Cause[]): StatusError {
  const texts = [...new Set(causes.map(({ field, message }) => `${field ?? '<nil>'}: ${message}`))]
  const text = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${qualified(subject.kind, subject.group)} "${name}" is invalid: ${text}`,
    details: { ...detailsOf(subject, name, subject.kind), causes },
  })
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message })
}

export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
}

export function forbidden(message: string, details: StatusDetails): StatusError {
  return new StatusError({ code: 403, reason: 'Forbidden', message, details })
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource'
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message })
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message })
}

export function tooLarge(limitBytes: number): StatusError {
  const message = `Request entity too large: limit is ${String(limitBytes)}`
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message })
}

export function expired(message: string): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message })
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
