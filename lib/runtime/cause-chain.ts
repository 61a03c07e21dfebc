// What may be logged of an error: names, codes and messages along its causes. Messages of ours are free of secrets by rule;
// of anything else only the first lines are kept, and a stack where there is no code to search for.
import { shortText } from '../api/short-text.ts'
import { ControlPlaneError, type Details } from '../errors/control-plane-error.ts'

export interface LoggedError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly reason?: string
  readonly details?: Details
  readonly stack?: string
}

const maxLength = 8
const maxMessage = 1000
/** Ours may list many problems; a log line has an end. */
const longestOfOurs = 8192

/** The error and its causes, outermost first. Survives circles and things thrown that are not errors. */
export function causeChain(error: unknown): readonly LoggedError[] {
  const chain: LoggedError[] = []
  const seen = new Set<unknown>()
  let current = error
  while (current !== undefined && current !== null && !seen.has(current) && chain.length < maxLength) {
    seen.add(current)
    chain.push(describe(current))
    current = current instanceof Error ? current.cause : undefined
  }
  return chain
}

function describe(error: unknown): LoggedError {
  if (error instanceof ControlPlaneError) {
    return {
      name: error.name,
      code: error.code,
      message: shortText(error.message, longestOfOurs),
      ...(error.reason === undefined ? {} : { reason: error.reason }),
      ...(Object.keys(error.details).length === 0 ? {} : { details: error.details }),
    }
  }
  if (error instanceof Error) {
    return {
      name: error.name,
      message: error.message.slice(0, maxMessage),
      ...(error.stack === undefined ? {} : { stack: framesOf(error.stack) }),
    }
  }
  return {
    name: typeof error,
    message: typeof error === 'string' ? error.slice(0, maxMessage) : 'not an Error',
  }
}

function framesOf(stack: string): string {
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '))
  return frames
    .slice(0, maxLength)
    .map((line) => line.trim())
    .join('\n')
}
