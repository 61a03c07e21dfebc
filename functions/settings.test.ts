import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigError } from '../lib/errors/config-error.ts'
import type { Environment } from '../lib/runtime/environment.ts'
import { readConfig } from '../lib/runtime/read-config.ts'
import { Config as GuardConfig } from './guard/config.ts'
import { Config as ReconcileConfig } from './reconcile/config.ts'
import { Settings } from './settings.ts'

const names = ['EVENTS', 'INSTALL', 'JOIN', 'LEAVE', 'PROBE']
const good: Environment = {
  KPSSH_TABLE: 'kpssh-test',
  KPSSH_NAMESPACE: 'kpssh-system',
  KPSSH_CLUSTERS: JSON.stringify({
    lab: { connection: { kind: 'kubeconfigFile', path: '/etc/lab' }, senders: ['AROALAB'], pool: 'rack-7' },
  }),
  ...Object.fromEntries(names.map((name) => [`KPSSH_${name}_QUEUE`, `https://sqs.test/${name}`])),
  ...Object.fromEntries(
    names.map((name) => [`KPSSH_${name}_DEAD_LETTER_QUEUE`, `https://sqs.test/${name}-dead`]),
  ),
}

function problemsWith(environment: Environment): string {
  try {
    readConfig(Settings, environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  return assert.fail('accepted')
}

describe('Settings', () => {
  it('reads clusters from JSON', () => {
    assert.deepEqual(readConfig(Settings, good).KPSSH_CLUSTERS, {
      lab: { connection: { kind: 'kubeconfigFile', path: '/etc/lab' }, senders: ['AROALAB'], pool: 'rack-7' },
    })
  })

  it('lets a stack have no cluster yet', () => {
    assert.deepEqual(readConfig(Settings, { ...good, KPSSH_CLUSTERS: '{}' }).KPSSH_CLUSTERS, {})
  })

  it('names everything that is missing or wrong at once', () => {
    const problems = problemsWith({
      ...good,
      KPSSH_TABLE: undefined,
      KPSSH_JOIN_QUEUE: 'join',
      KPSSH_CLUSTERS: '{"lab":',
    })
    assert.match(problems, /KPSSH_TABLE: .*KPSSH_JOIN_QUEUE: .*KPSSH_CLUSTERS: not JSON/)
  })

  it('refuses a cluster that nobody may speak for, and a connection of no known kind', () => {
    const clusters = (cluster: object): Environment => ({
      ...good,
      KPSSH_CLUSTERS: JSON.stringify({ lab: cluster }),
    })
    const connection = { kind: 'kubeconfigFile', path: '/etc/lab' }
    assert.match(problemsWith(clusters({ connection, senders: [] })), /KPSSH_CLUSTERS\.lab\.senders/)
    assert.match(
      problemsWith(clusters({ connection: { kind: 'ssh' }, senders: ['A'] })),
      /KPSSH_CLUSTERS\.lab\.connection/,
    )
    assert.match(problemsWith(clusters({ connection, sender: ['A'], senders: ['A'] })), /"sender"/)
  })
})

describe('settings of single functions', () => {
  it('reads who speaks for every cluster', () => {
    const config = readConfig(ReconcileConfig, { ...good, KPSSH_FUNCTION_SENDERS: 'AROAJOIN,AROALEAVE' })
    assert.deepEqual(config.KPSSH_FUNCTION_SENDERS, ['AROAJOIN', 'AROALEAVE'])
  })

  it('reads how often a host is looked at', () => {
    const config = readConfig(GuardConfig, { ...good, KPSSH_PROBE_INTERVAL_SECONDS: '110' })
    assert.deepEqual(config.KPSSH_PROBE_INTERVAL_SECONDS, { probeIntervalMs: 110_000 })
    assert.throws(
      () => readConfig(GuardConfig, { ...good, KPSSH_PROBE_INTERVAL_SECONDS: 'often' }),
      ConfigError,
    )
  })
})
