// What the plugin reads of a loaded serverless.yml, checked at the door.
import { z } from 'zod'

const SqsEvent = z.looseObject({
  arn: z.unknown(),
  batchSize: z.number().default(10),
  functionResponseType: z.string().optional(),
  maximumConcurrency: z.number().default(2),
})
export type SqsEvent = Readonly<z.infer<typeof SqsEvent>>

const ScheduleEvent = z.looseObject({ rate: z.array(z.string()).min(1), enabled: z.boolean().default(true) })
export type ScheduleEvent = Readonly<z.infer<typeof ScheduleEvent>>

const FunctionEvent = z.looseObject({ sqs: SqsEvent.optional(), schedule: ScheduleEvent.optional() })

export const ServiceFunction = z.looseObject({
  handler: z.string(),
  environment: z.record(z.string(), z.unknown()).default({}),
  events: z.array(FunctionEvent).default([]),
})
export type ServiceFunction = Readonly<z.infer<typeof ServiceFunction>>

/** `custom.localStack` of serverless.yml. */
export const LocalStackSettings = z.strictObject({
  /** Batches in flight per function, each in a warm instance of its own; a machine has fewer cores than a region. */
  concurrency: z.record(z.string(), z.number().int().min(1)),
})
export type LocalStackSettings = Readonly<z.infer<typeof LocalStackSettings>>

export const Service = z.looseObject({
  provider: z.looseObject({ region: z.string(), environment: z.record(z.string(), z.unknown()).default({}) }),
  functions: z.record(z.string(), ServiceFunction),
  resources: z.looseObject({
    Resources: z.record(
      z.string(),
      z.looseObject({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
    ),
  }),
  custom: z.looseObject({ localStack: LocalStackSettings, 'serverless-offline': z.looseObject({}) }),
})
export type Service = Readonly<z.infer<typeof Service>>
