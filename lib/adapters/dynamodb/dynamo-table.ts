// Single-item reads and conditional writes on the one table. A condition that fails is an outcome that carries what is there
// instead: from the answer where the service gives it, else from a consistent read.
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type AttributeValue,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { TransientError } from '../../errors/transient-error.ts'
import type { Condition } from './condition.ts'
import type { ItemKey } from './item-key.ts'
import { translateError } from './translate-error.ts'

export type Item = Readonly<Record<string, unknown>>

export type ConditionalOutcome =
  | { readonly kind: 'done' }
  /** `current` is undefined if there is no item. */
  | { readonly kind: 'refused'; readonly current: Item | undefined }

export interface DynamoDeps {
  readonly client: DynamoDBClient
  readonly tableName: string
}

export interface QueryOptions {
  readonly prefix?: string
  readonly isNewestFirst?: boolean
  /** Items at most; all of them without. */
  readonly limit?: number
}

export interface DynamoTable {
  get(key: ItemKey): Promise<Item | undefined>
  put(key: ItemKey, fields: object, condition?: Condition): Promise<ConditionalOutcome>
  delete(key: ItemKey, condition: Condition): Promise<ConditionalOutcome>
  /** All pages, consistent, in order of the sort key. */
  query(pk: string, options?: QueryOptions): Promise<readonly Item[]>
}

export function makeDynamoTable({ client, tableName: TableName }: DynamoDeps): DynamoTable {
  async function get(key: ItemKey): Promise<Item | undefined> {
    const command = new GetItemCommand({ TableName, Key: marshall(key), ConsistentRead: true })
    const { Item: item } = await translated(`read item "${key.pk}"`, () => client.send(command))
    return item && unmarshall(item)
  }

  async function conditional(key: ItemKey, write: () => Promise<unknown>): Promise<ConditionalOutcome> {
    try {
      await write()
      return { kind: 'done' }
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) {
        throw translateError(error, `write item "${key.pk}"`)
      }
      return { kind: 'refused', current: error.Item ? unmarshall(error.Item) : await get(key) }
    }
  }

  return {
    get,
    put: (key, fields, condition) =>
      conditional(key, () =>
        client.send(
          new PutItemCommand({
            TableName,
            Item: toItem({ ...fields, ...key }),
            ...conditionInput(condition),
          }),
        ),
      ),
    delete: (key, condition) =>
      conditional(key, () =>
        client.send(new DeleteItemCommand({ TableName, Key: marshall(key), ...conditionInput(condition) })),
      ),
    async query(pk, options = {}) {
      const items: Item[] = []
      let start: Record<string, AttributeValue> | undefined
      do {
        const command = new QueryCommand({ TableName, ...queryInput(pk, options, start) })
        const page = await translated(`query items "${pk}"`, () => client.send(command))
        items.push(...(page.Items ?? []).map((item) => unmarshall(item)))
        start = page.LastEvaluatedKey
      } while (start !== undefined && items.length < (options.limit ?? Infinity))
      return items.slice(0, options.limit)
    },
  }
}

/** What was in the way is gone already: whether to try again is for the next activation. */
export function contended(action: string): TransientError {
  return new TransientError(`Cannot ${action}: its item came and went meanwhile, it must be tried again`, {
    reason: 'ItemContended',
  })
}

function toItem(fields: object): Record<string, AttributeValue> {
  return marshall(fields, { removeUndefinedValues: true })
}

function conditionInput(condition: Condition | undefined) {
  if (condition === undefined) return {}
  const { expression, names, values } = condition
  return {
    ConditionExpression: expression,
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: marshall(values) }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

function queryInput(pk: string, { prefix, isNewestFirst, limit }: QueryOptions, start: unknown) {
  return {
    ConsistentRead: true,
    ScanIndexForward: isNewestFirst !== true,
    KeyConditionExpression: prefix === undefined ? '#pk = :pk' : '#pk = :pk AND begins_with(#sk, :prefix)',
    ExpressionAttributeNames: { '#pk': 'pk', ...(prefix === undefined ? {} : { '#sk': 'sk' }) },
    ExpressionAttributeValues: marshall({
      ':pk': pk,
      ...(prefix === undefined ? {} : { ':prefix': prefix }),
    }),
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(start === undefined ? {} : { ExclusiveStartKey: start as Record<string, AttributeValue> }),
  }
}

async function translated<T>(action: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw translateError(error, action)
  }
}
