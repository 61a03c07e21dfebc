// The one table, as data: for emulators and tests. infra/resources/table.yml says the same to CloudFormation, and a test
// compares the two.

/** DynamoDB removes an item some time after this instant, in seconds. Nothing may rely on when, or whether. */
export const expiresAtAttribute = 'expiresAt'

export const hostsTableDefinition = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
} as const
