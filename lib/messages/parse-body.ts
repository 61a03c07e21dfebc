import { SpecError } from '../errors/spec-error.ts'
import { decodeBody } from './message-body.ts'
import type { Message } from './ports.ts'

export type MessageType = Message['type']
export type MessageOf<T extends MessageType> = Extract<Message, { type: T }>

/** The message that a function's queue may carry. Throws SpecError (MessageUnreadable). */
export function parseBody<T extends MessageType>(text: string, ...types: readonly T[]): MessageOf<T> {
  const decoded = decodeBody(text)
  if (decoded.kind === 'unreadable') throw refusal(decoded.problem, decoded.path, types)
  const { message } = decoded
  if (isOneOf(message, types)) return message
  throw refusal(`it is a ${message.type}`, 'type', types)
}

function isOneOf<T extends MessageType>(message: Message, types: readonly T[]): message is MessageOf<T> {
  return types.some((type) => type === message.type)
}

function refusal(problem: string, path: string, types: readonly MessageType[]): SpecError {
  const where = path === '' ? '' : ` at "${path}"`
  return new SpecError(`Cannot read message${where}: ${problem}, it must be a valid ${types.join(' or ')}`, {
    reason: 'MessageUnreadable',
    details: { path },
  })
}
