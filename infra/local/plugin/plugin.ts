// A plugin of `serverless offline`: creates the declared queues and tables in the emulators, gives functions their settings,
// and drives them from queues and schedules. Idle in every other command. serverless-offline's own scheduler is kept out,
// since two would run every scheduled function twice.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import { readEnvironment } from '../../../lib/runtime/environment.ts'
import { createResources } from './create-resources.ts'
import { makeFunctionPool } from './function-pool.ts'
import { resolveIntrinsics, type CreatedResources } from './intrinsics.ts'
import { queueSourcesOf, schedulesOf } from './local-events.ts'
import { startQueueSource } from './queue-source.ts'
import { startSchedule } from './schedule-source.ts'
import { Service } from './serverless-service.ts'

/** Sent to the process that started this one, once every function is warm and every queue is polled. */
export interface LocalStackReady {
  readonly kind: 'ready'
  readonly resources: CreatedResources
}

export interface Serverless {
  readonly service: {
    readonly functions: Record<string, { events?: unknown[]; environment?: unknown }>
    readonly provider: { environment?: unknown }
  }
}

interface Running {
  stop(): Promise<void>
}

export function makeLocalStackHooks(serverless: Serverless): Readonly<Record<string, () => Promise<void>>> {
  let service: Service | undefined
  let resources: CreatedResources = {}
  let running: Running | undefined
  return {
    'before:offline:start:init': async () => {
      // Nobody is left to serve once the process that started this one is gone.
      process.once('disconnect', () => process.exit())
      service = Service.parse(serverless.service)
      resources = await createResources(service.resources.Resources, emulatorClients(service.provider.region))
      settle(serverless, service, resources)
    },
    'after:offline:start:init': async () => {
      if (service !== undefined) running = await start(serverless, service, resources)
      // An instance that dies takes its invocation with it, which then times out; the others go on.
      process.on('uncaughtException', (error) => warn('Instance of a function died', error))
      const ready: LocalStackReady = { kind: 'ready', resources }
      process.send?.(ready)
    },
    'before:offline:start:end': async () => {
      await running?.stop()
    },
  }
}

function emulatorClients(region: string): Parameters<typeof createResources>[1] {
  const environment = readEnvironment()
  const sqsEndpoint = environment['AWS_ENDPOINT_URL_SQS']
  const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB']
  if (sqsEndpoint === undefined || endpoint === undefined) {
    throw new Error(
      'Cannot start the functions offline: AWS_ENDPOINT_URL_SQS and AWS_ENDPOINT_URL_DYNAMODB are not both set, start them with "npm start"',
    )
  }
  return {
    sqs: new SQSClient({ region, endpoint: sqsEndpoint }),
    dynamodb: new DynamoDBClient({ region, endpoint }),
    sqsEndpoint,
  }
}

/** Gives each function the settings that CloudFormation would have resolved, and takes schedules out of the other's hands. */
function settle(serverless: Serverless, service: Service, resources: CreatedResources): void {
  const overrides = localSettings()
  for (const [name, definition] of Object.entries(service.functions)) {
    const target = serverless.service.functions[name]
    if (target === undefined) continue
    const declared = { ...service.provider.environment, ...definition.environment, ...overrides }
    target.environment = resolveIntrinsics(declared, resources)
    target.events = definition.events.filter((event) => event.schedule === undefined)
  }
  // Each function has all of them now; serverless-offline would try to resolve these again, in its own way.
  serverless.service.provider.environment = {}
}

/** `KPSSH_LOCAL_SETTINGS`: a JSON object of variables that replace declared ones, such as how to reach the cluster. */
function localSettings(): Readonly<Record<string, string>> {
  return z.record(z.string(), z.string()).parse(JSON.parse(readEnvironment()['KPSSH_LOCAL_SETTINGS'] ?? '{}'))
}

async function start(
  serverless: Serverless,
  service: Service,
  resources: CreatedResources,
): Promise<Running> {
  const pool = makeFunctionPool(
    serverless,
    serverless.service.functions,
    service.custom['serverless-offline'],
  )
  const { sqs } = emulatorClients(service.provider.region)
  const deps = { sqs, invoke: (name: string, event: object) => pool.invoke(name, event), warn }
  const sources = queueSourcesOf(service, resources)
  await Promise.all(
    sources.map(({ functionName, maxConcurrency }) => pool.warm(functionName, maxConcurrency)),
  )
  const queues = sources.map((source) => startQueueSource(source, deps))
  const seconds = readEnvironment()['KPSSH_LOCAL_GUARD_SECONDS']
  const schedules = schedulesOf(service, seconds === undefined ? undefined : Number(seconds) * 1000)
  const timers = schedules.map((schedule) => startSchedule(schedule, deps))
  return {
    async stop() {
      timers.forEach((timer) => timer.stop())
      await Promise.all(queues.map((queue) => queue.stop()))
      await pool.stop()
    },
  }
}

function warn(message: string, error: unknown): void {
  console.error(`${message}: ${error instanceof Error ? error.message : String(error)}`)
}
