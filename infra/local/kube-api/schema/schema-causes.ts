// How a violation of a schema is worded.
import { causeInvalid, type Cause } from '../status-error.ts'

export function fieldName(path: string): string {
  return path === '' ? '<nil>' : path
}

/** The common form of a violated bound. */
export function bound(path: string, value: unknown, text: string): Cause {
  return causeInvalid(fieldName(path), `${shown(value)}: ${fieldName(path)} in body ${text}`)
}

export function shown(value: unknown): string {
  return JSON.stringify(value)
}
