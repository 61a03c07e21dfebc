// One instance of a function, as it lives on Lambda: composed once, called again and again.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import { startQueues, type RunningEmulator } from '../../infra/local/emulators/start-queues.ts'
import { startTable } from '../../infra/local/emulators/start-table.ts'
import { createResources } from '../../infra/local/plugin/create-resources.ts'
import { hostsTableDefinition } from '../../lib/adapters/dynamodb/table-definition.ts'
import { makeSystemClock } from '../../lib/adapters/node/clock.ts'
import type { SqsLambda } from '../../lib/runtime/sqs-handler.ts'
import { aRunPhaseOn } from '../support/builders/messages.ts'
import { anInvocation, anSqsEvent, anSqsRecord } from '../support/builders/sqs-event.ts'

const invocations = 1_000
const maxGrowthBytes = 15 * 1024 * 1024

describe('the join function', () => {
  let queues: RunningEmulator
  let table: RunningEmulator
  let handler: SqsLambda

  before(async () => {
    queues = await startQueues()
    table = await startTable()
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    await createResources(
      {
        StateTable: {
          Type: 'AWS::DynamoDB::Table',
          Properties: { TableName: 'kpssh', ...hostsTableDefinition },
        },
      },
      {
        sqs: new SQSClient({ region: 'eu-central-1', endpoint: queues.endpoint, credentials }),
        dynamodb: new DynamoDBClient({ region: 'eu-central-1', endpoint: table.endpoint, credentials }),
        sqsEndpoint: queues.endpoint,
      },
    )
    const names = ['EVENTS', 'INSTALL', 'JOIN', 'LEAVE', 'PROBE']
    Object.assign(process.env, {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
      AWS_ENDPOINT_URL_SQS: queues.endpoint,
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      KPSSH_TABLE: 'kpssh',
      KPSSH_NAMESPACE: 'kpssh-system',
      KPSSH_CLUSTERS: '{}',
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`KPSSH_${name}_QUEUE`, `${queues.endpoint}/0/${name}`],
          [`KPSSH_${name}_DEAD_LETTER_QUEUE`, `${queues.endpoint}/0/${name}-dead`],
        ]),
      ),
    })
    const loaded = await import('../../functions/join/handler.ts')
    handler = loaded.handler
  })
  after(async () => {
    await table.stop()
    await queues.stop()
  })

  async function invoke(count: number): Promise<void> {
    for (let call = 0; call < count; call += 1) {
      const record = anSqsRecord(`m${call}`, JSON.stringify(aRunPhaseOn(`host-${call}`)))
      const reply = await handler(anSqsEvent(record), anInvocation(makeSystemClock()))
      assert.deepEqual(reply, { batchItemFailures: [] })
    }
  }

  it(`DEV-07: keeps its memory over ${invocations} invocations, each like the first`, async () => {
    setFlagsFromString('--expose-gc')
    const collect = z.custom<() => void>((value) => typeof value === 'function').parse(runInNewContext('gc'))
    await invoke(invocations / 5)
    collect()
    const early = process.memoryUsage().heapUsed
    await invoke((invocations * 4) / 5)
    collect()
    const growth = process.memoryUsage().heapUsed - early
    assert.ok(growth < maxGrowthBytes, `grew by ${growth} bytes`)
  })
})
