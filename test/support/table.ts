// A fresh table on the emulator, for tests of what stands on it.
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { startTable } from '../../infra/local/emulators/start-table.ts'
import { makeDynamoClient, type DynamoClientOptions } from '../../lib/adapters/dynamodb/make-dynamo-client.ts'
import { hostsTableDefinition } from '../../lib/adapters/dynamodb/table-definition.ts'

export const tableName = 'kpssh-test'

export interface TestTable {
  readonly endpoint: string
  readonly client: DynamoDBClient
  /** Another connection to the same table. */
  connect(options?: DynamoClientOptions): DynamoDBClient
  stop(): Promise<void>
}

export async function startTestTable(): Promise<TestTable> {
  const emulator = await startTable()
  const clients: DynamoDBClient[] = []
  const connect = (options: DynamoClientOptions = {}): DynamoDBClient => {
    const client = makeDynamoClient({ endpoint: emulator.endpoint, ...options })
    clients.push(client)
    return client
  }
  const client = connect()
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...hostsTableDefinition.AttributeDefinitions],
      KeySchema: [...hostsTableDefinition.KeySchema],
    }),
  )
  return {
    endpoint: emulator.endpoint,
    client,
    connect,
    async stop() {
      for (const open of clients) open.destroy()
      await emulator.stop()
    },
  }
}
