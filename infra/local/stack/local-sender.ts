import { makeUuids } from '../../../lib/adapters/node/random.ts'
import { makeSqsClient } from '../../../lib/adapters/sqs/make-sqs-client.ts'
import { makeSqsMessageSender } from '../../../lib/adapters/sqs/message-sender.ts'
import type { MessageSender } from '../../../lib/messages/ports.ts'
import type { LocalFile } from './local-file.ts'

/** Sends to the emulated queues, as a watcher in a cluster sends to the real ones. */
export function makeLocalSender({ queueEndpoint, region, queues }: LocalFile): MessageSender {
  return makeSqsMessageSender({
    client: makeSqsClient({ endpoint: queueEndpoint, region }),
    queueUrls: queues,
    deadLetterUrls: {},
    ids: makeUuids(),
  })
}
