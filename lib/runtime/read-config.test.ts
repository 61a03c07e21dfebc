import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { ConfigError } from '../errors/config-error.ts'
import { readConfig } from './read-config.ts'

const Settings = z.object({ KPSSH_TABLE: z.string().min(1), KPSSH_PORT: z.coerce.number().int() })

describe('readConfig', () => {
  it('reads the settings it knows and leaves the rest of the environment alone', () => {
    assert.deepEqual(readConfig(Settings, { KPSSH_TABLE: 'kpssh', KPSSH_PORT: '22', PATH: '/bin' }), {
      KPSSH_TABLE: 'kpssh',
      KPSSH_PORT: 22,
    })
  })

  it('tells every problem in one error', () => {
    assert.throws(
      () => readConfig(Settings, { KPSSH_PORT: 'many' }),
      (error) => error instanceof ConfigError && /KPSSH_TABLE: .+; KPSSH_PORT: /.test(error.message),
    )
  })

  it('never repeats a value, for a misplaced one may be a secret', () => {
    assert.throws(
      () => readConfig(Settings, { KPSSH_PORT: 'hunter2hunter2' }),
      (error) => error instanceof ConfigError && !error.message.includes('hunter2'),
    )
  })
})
