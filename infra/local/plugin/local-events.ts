// Which queues and schedules drive which functions, as serverless.yml declares them.
import { resolveIntrinsics, type CreatedResources } from './intrinsics.ts'
import type { QueueSource } from './queue-source.ts'
import { rateMs, type Schedule } from './schedule-source.ts'
import type { Service } from './serverless-service.ts'

export function queueSourcesOf(service: Service, resources: CreatedResources): readonly QueueSource[] {
  return Object.entries(service.functions).flatMap(([functionName, definition]) =>
    definition.events.flatMap(({ sqs }) => {
      if (sqs === undefined) return []
      const queueArn = String(resolveIntrinsics(sqs.arn, resources))
      const queue = Object.values(resources).find((resource) => resource.attributes['Arn'] === queueArn)
      if (queue === undefined)
        throw new Error(`Cannot find the queue of function "${functionName}": no ${queueArn}`)
      return {
        functionName,
        queueUrl: queue.ref,
        queueArn,
        region: service.provider.region,
        batchSize: sqs.batchSize,
        maxConcurrency: service.custom.localStack.concurrency[functionName] ?? sqs.maximumConcurrency,
        reportsBatchItemFailures: sqs.functionResponseType === 'ReportBatchItemFailures',
      }
    }),
  )
}

/** `intervalMs` replaces every declared rate, for a demo that cannot wait minutes. */
export function schedulesOf(service: Service, intervalMs: number | undefined): readonly Schedule[] {
  return Object.entries(service.functions).flatMap(([functionName, definition]) =>
    definition.events
      .flatMap(({ schedule }) => (schedule?.enabled === true ? schedule.rate : []))
      .map((rate) => ({ functionName, intervalMs: intervalMs ?? rateMs(rate) })),
  )
}
