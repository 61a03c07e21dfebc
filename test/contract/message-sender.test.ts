import { fakeMessageSender } from '../support/fakes/message-sender.ts'
import { messageSenderContract } from './message-sender.contract.ts'

messageSenderContract('in memory', async () => {
  const sender = fakeMessageSender()
  return {
    subject: {
      sender,
      receive: async (queue) => sender.take(queue).map(({ message }) => message),
      receiveDeadLetters: async (queue) =>
        sender.deadLetters
          .filter((letter) => letter.queue === queue)
          .map(({ body, reason }) => ({ body, reason })),
    },
    stop: async () => undefined,
  }
})
