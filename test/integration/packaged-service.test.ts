// `serverless package`, once: without a login, without a network, and with what its output promises.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { packageService, type PackagedService } from '../../infra/bench/package-service.ts'
import { describeIdentities } from './packaged/identities.suite.ts'
import { describeResources } from './packaged/resources.suite.ts'

let service: PackagedService
before(async () => {
  service = await packageService()
})
after(() => service.remove())

describe('artifacts of the packaged service', () => {
  it('keeps every function below 1 MiB, so that a cold start is short', async () => {
    for (const name of ['reconcile', 'install', 'join', 'leave', 'probe', 'guard']) {
      const { size } = await stat(join(service.artifacts, `${name}.zip`))
      assert.ok(size < 1_048_576, `${name}: ${size} bytes`)
    }
  })
})
describeIdentities(() => service)
describeResources(() => service)
