// Creates the queues and tables that serverless.yml declares in the emulators, from the very same CloudFormation, so that
// the local stack cannot drift from the deployed one. Anything else in the template is left alone.
import {
  CreateTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { resolveIntrinsics, type CreatedResource, type CreatedResources } from './intrinsics.ts'

export interface TemplateResource {
  readonly Type: string
  readonly Properties?: Readonly<Record<string, unknown>>
}
export type Template = Readonly<Record<string, TemplateResource>>

export interface EmulatorClients {
  readonly sqs: SQSClient
  readonly dynamodb: DynamoDBClient
  /** Where the queue emulator listens: queue URLs start with it, whatever name the emulator would give itself. */
  readonly sqsEndpoint: string
}

export async function createResources(
  template: Template,
  clients: EmulatorClients,
): Promise<CreatedResources> {
  const created: Record<string, CreatedResource> = {}
  const queues = Object.entries(template).filter(([, resource]) => resource.Type === 'AWS::SQS::Queue')
  // Dead-letter queues first: the others refer to them.
  const byDependency = queues.toSorted(([, a], [, b]) => Number(hasRedrive(a)) - Number(hasRedrive(b)))
  for (const [logicalID, resource] of byDependency) {
    created[logicalID] = await createQueue(resource, created, clients)
  }
  for (const [logicalID, resource] of Object.entries(template)) {
    if (resource.Type === 'AWS::DynamoDB::Table')
      created[logicalID] = await createTable(resource, clients.dynamodb)
  }
  return created
}

function hasRedrive(resource: TemplateResource): boolean {
  return resource.Properties?.['RedrivePolicy'] !== undefined
}

async function createQueue(
  resource: TemplateResource,
  created: CreatedResources,
  { sqs, sqsEndpoint }: EmulatorClients,
): Promise<CreatedResource> {
  const { QueueName, ...attributes } = resource.Properties ?? {}
  const name = String(QueueName)
  const resolved = Object.entries(attributes).map(([key, value]) => [
    key,
    text(resolveIntrinsics(value, created)),
  ])
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: Object.fromEntries(resolved) as Record<string, string>,
    }),
  )
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  )
  const url = new URL(new URL(QueueUrl ?? '').pathname, sqsEndpoint).href
  return { ref: url, attributes: { Arn: Attributes?.['QueueArn'] ?? '', QueueName: name, QueueUrl: url } }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function createTable(resource: TemplateResource, dynamodb: DynamoDBClient): Promise<CreatedResource> {
  const properties = resource.Properties ?? {}
  const TableName = String(properties['TableName'])
  if (!(await tableExists(TableName, dynamodb))) {
    await dynamodb.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: properties[
          'AttributeDefinitions'
        ] as CreateTableCommandInput['AttributeDefinitions'],
        KeySchema: properties['KeySchema'] as CreateTableCommandInput['KeySchema'],
      }),
    )
  }
  return { ref: TableName, attributes: { Arn: `arn:aws:dynamodb:local:000000000000:table/${TableName}` } }
}

async function tableExists(TableName: string, dynamodb: DynamoDBClient): Promise<boolean> {
  try {
    await dynamodb.send(new DescribeTableCommand({ TableName }))
    return true
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false
    throw error
  }
}
