import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { expiresAtAttribute, hostsTableDefinition } from '../lib/adapters/dynamodb/table-definition.ts'

describe('infra/resources/table.yml', () => {
  it('declares the table as the code uses it, recoverable to any point in time', async () => {
    const text = await readFile(new URL('../infra/resources/table.yml', import.meta.url), 'utf8')
    const { Properties } = (parse(text) as TableFile).Resources.StateTable
    assert.deepEqual(Properties.AttributeDefinitions, hostsTableDefinition.AttributeDefinitions)
    assert.deepEqual(Properties.KeySchema, hostsTableDefinition.KeySchema)
    assert.deepEqual(Properties.TimeToLiveSpecification, { AttributeName: expiresAtAttribute, Enabled: true })
    assert.equal(Properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled, true)
  })
})

interface TableFile {
  readonly Resources: {
    readonly StateTable: {
      readonly Properties: {
        readonly AttributeDefinitions: unknown
        readonly KeySchema: unknown
        readonly TimeToLiveSpecification: unknown
        readonly PointInTimeRecoverySpecification?: { readonly PointInTimeRecoveryEnabled: boolean }
      }
    }
  }
}
