// Sends messages. The events queue is FIFO with one group per cluster; its deduplication id belongs to one call of send, so an
// attempt that the SDK repeats is one message, while the same message sent twice is two.
import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from '@aws-sdk/client-sqs'
import type { Ids } from '../../ambient/ports.ts'
import { ConfigError } from '../../errors/config-error.ts'
import { SpecError } from '../../errors/spec-error.ts'
import { encodeBody, maxBodyBytes } from '../../messages/message-body.ts'
import type { MessageSender, QueueName } from '../../messages/ports.ts'
import { translateError } from './translate-error.ts'

export interface SqsMessageSenderDeps {
  readonly client: SQSClient
  /** The queues that this function sends to. */
  readonly queueUrls: Partial<Readonly<Record<QueueName, string>>>
  readonly deadLetterUrls: Partial<Readonly<Record<QueueName, string>>>
  readonly ids: Ids
}

type Extras = Partial<
  Pick<
    SendMessageCommandInput,
    'DelaySeconds' | 'MessageAttributes' | 'MessageDeduplicationId' | 'MessageGroupId'
  >
>
type Input = Extras & { readonly MessageBody: string }

const longestDelaySeconds = 900
const longestReason = 1_024
/** What SQS refuses in texts. */
const unprintable = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g

export function makeSqsMessageSender(deps: SqsMessageSenderDeps): MessageSender {
  const { client, queueUrls, deadLetterUrls, ids } = deps

  async function deliver(target: Target, input: Input): Promise<void> {
    if (target.url === undefined) throw unknownQueue(target.label)
    try {
      await client.send(new SendMessageCommand({ QueueUrl: target.url, ...input }))
    } catch (error) {
      throw translateError(error, `send to queue "${target.label}"`)
    }
  }

  return {
    async send(queue, message, options = {}) {
      const MessageBody = encodeBody(message)
      checkSize(queue, message.type, MessageBody)
      const order = queue === 'events' ? fifo(message.cluster, ids) : delay(options.delaySeconds)
      await deliver({ label: queue, url: queueUrls[queue] }, { MessageBody, ...order })
    },
    async deadLetter(queue, body, reason) {
      const order = queue === 'events' ? fifo(groupOf(body), ids) : {}
      const evidence = explain(reason, body)
      await deliver(
        { label: `${queue} dead letters`, url: deadLetterUrls[queue] },
        { MessageBody: body, ...order, ...evidence },
      )
    },
  }
}

interface Target {
  readonly label: string
  readonly url: string | undefined
}

function fifo(group: string, ids: Ids): Extras {
  return { MessageGroupId: group.slice(0, 128), MessageDeduplicationId: ids.next() }
}

function delay(seconds = 0): Extras {
  return { DelaySeconds: Math.min(longestDelaySeconds, Math.max(0, Math.ceil(seconds))) }
}

/** The body comes first: a reason that no longer fits beside it is left out. */
function explain(reason: string, body: string): Extras {
  const value = reason.slice(0, longestReason).replace(unprintable, '?') || 'Unknown'
  const room = maxBodyBytes - Buffer.byteLength(body)
  if (Buffer.byteLength(`reasonString${value}`) > room) return {}
  return { MessageAttributes: { reason: { DataType: 'String', StringValue: value } } }
}

/** The cluster of a body that may not be a message at all. Dead letters of one cluster stay in one group. */
function groupOf(body: string): string {
  const cluster = /^\s*\{[^]{0,200}?"cluster"\s*:\s*"([A-Za-z0-9._-]{1,128})"/.exec(body)?.[1]
  return cluster ?? 'unreadable'
}

function checkSize(queue: QueueName, type: string, body: string): void {
  const size = Buffer.byteLength(body)
  if (size <= maxBodyBytes) return
  throw new SpecError(
    `Cannot send ${type} to queue "${queue}": it has ${size} bytes, at most ${maxBodyBytes} are carried`,
    { reason: 'MessageTooLarge', details: { size } },
  )
}

function unknownQueue(label: string): ConfigError {
  return new ConfigError(
    `Cannot send to queue "${label}": this function has no URL for it, its configuration must name it`,
    {
      reason: 'QueueUnknown',
    },
  )
}
