import { makeSqsClient } from '../lib/adapters/sqs/make-sqs-client.ts'
import { makeSqsMessageSender } from '../lib/adapters/sqs/message-sender.ts'
import type { Ids } from '../lib/ambient/ports.ts'
import type { MessageSender } from '../lib/messages/ports.ts'
import type { Settings } from './settings.ts'

/** Every function can name every queue; its role decides which of them it may send to. */
export function composeMessages(settings: Settings, ids: Ids): MessageSender {
  return makeSqsMessageSender({
    client: makeSqsClient(),
    ids,
    queueUrls: {
      events: settings.KPSSH_EVENTS_QUEUE,
      install: settings.KPSSH_INSTALL_QUEUE,
      join: settings.KPSSH_JOIN_QUEUE,
      leave: settings.KPSSH_LEAVE_QUEUE,
      probe: settings.KPSSH_PROBE_QUEUE,
    },
    deadLetterUrls: {
      events: settings.KPSSH_EVENTS_DEAD_LETTER_QUEUE,
      install: settings.KPSSH_INSTALL_DEAD_LETTER_QUEUE,
      join: settings.KPSSH_JOIN_DEAD_LETTER_QUEUE,
      leave: settings.KPSSH_LEAVE_DEAD_LETTER_QUEUE,
      probe: settings.KPSSH_PROBE_DEAD_LETTER_QUEUE,
    },
  })
}
