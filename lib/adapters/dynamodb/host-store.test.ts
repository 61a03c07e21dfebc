import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { aClaim, aHost } from '../../../test/support/builders/hosts.ts'
import { fakeLog } from '../../../test/support/fakes/log.ts'
import type { HostRecord } from '../../hosts/host-record.ts'
import { makeDynamoHostStore } from './host-store.ts'

interface Sent {
  readonly constructor: { readonly name: string }
  readonly input: Readonly<Record<string, unknown>>
}

/** Refuses every condition and shows the item as the service does. */
function refusingClient(current: HostRecord): { readonly client: DynamoDBClient; readonly sent: Sent[] } {
  const sent: Sent[] = []
  const send = async (command: Sent): Promise<never> => {
    sent.push(command)
    throw new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      Item: marshall({ pk: 'pool#lab', sk: 'host#kpssh-system/h1', cause: 'claimed', ...current }),
    })
  }
  return { client: { send } as unknown as DynamoDBClient, sent }
}

describe('makeDynamoHostStore', () => {
  const winner = aHost({ version: 2, writeID: 'winner', claim: aClaim({ uid: 'uid-2' }) })

  it('DDB-08: tells who holds a host from the refusal itself, without a second read', async () => {
    const { client, sent } = refusingClient(winner)
    const hosts = makeDynamoHostStore({ client, tableName: 't', log: fakeLog() })
    const outcome = await hosts.write(aHost({ version: 2, writeID: 'loser' }), 1, 'claimed')
    assert.deepEqual(outcome, { kind: 'stale', current: winner })
    assert.deepEqual(
      sent.map(({ constructor }) => constructor.name),
      ['PutItemCommand'],
    )
  })

  it('writes what it believes into the condition and asks for what is there', async () => {
    const { client, sent } = refusingClient(winner)
    const hosts = makeDynamoHostStore({ client, tableName: 't', log: fakeLog() })
    await hosts.write(aHost({ version: 8 }), 7, 'probed')
    const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues, ...rest } =
      sent[0]!.input
    assert.equal(ConditionExpression, '#version = :version')
    assert.deepEqual(ExpressionAttributeNames, { '#version': 'version' })
    assert.deepEqual(ExpressionAttributeValues, { ':version': { N: '7' } })
    assert.equal(rest['ReturnValuesOnConditionCheckFailure'], 'ALL_OLD')
  })
})
