import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aHost, t0 } from '../../test/support/builders/hosts.ts'
import { anSSHHost } from '../../test/support/builders/kubernetes.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import { projectHostStatus } from '../hosts/project-host-status.ts'
import { planHostNews, shortfalls } from './plan-host-news.ts'

const capacity = { cpu: '8', memory: '16Gi' }
const gib = 1_073_741_824

/** What is told as a host goes from one record to the next, as `Warning CapacityDrift`. */
function told(...records: readonly HostRecord[]): readonly string[] {
  let sshHost: SSHHost = anSSHHost({ spec: { capacity } })
  return records.flatMap((record) => {
    const after = projectHostStatus(record, t0)
    const news = planHostNews(sshHost, record, after)
    sshHost = { ...sshHost, status: after }
    return news.map(({ type, reason }) => `${type} ${reason}`)
  })
}

function seen(cpu: number, memoryGiB = 16): HostRecord {
  return aHost({ capacity: { cpu, memoryBytes: memoryGiB * gib } })
}

describe('shortfalls', () => {
  it('ref 106: finds none where nothing was seen, or as much as promised', () => {
    assert.deepEqual(shortfalls(capacity, undefined), [])
    assert.deepEqual(shortfalls(capacity, { cpu: '8', memory: '16Gi' }), [])
    assert.deepEqual(shortfalls(capacity, { cpu: '16', memory: '32Gi' }), [])
  })

  it('ref 106: names what is short, and only that', () => {
    assert.deepEqual(shortfalls(capacity, { cpu: '4', memory: '16Gi' }), ['cpu: 4 of 8'])
    assert.deepEqual(shortfalls(capacity, { cpu: '4', memory: '8Gi' }), [
      'cpu: 4 of 8',
      'memory: 8Gi of 16Gi',
    ])
  })
})

describe('planHostNews, capacity', () => {
  it('ref 113: tells a shortfall when it begins, and again only after it was gone', () => {
    assert.deepEqual(told(seen(4)), ['Warning CapacityDrift'])
    assert.deepEqual(told(seen(8), seen(4), seen(4)), ['Warning CapacityDrift'])
    assert.deepEqual(told(seen(4), seen(8), seen(4)), ['Warning CapacityDrift', 'Warning CapacityDrift'])
    assert.deepEqual(told(seen(8), seen(8)), [])
  })
})

const zombie = { reason: 'ZombieAgent', message: 'the agent runs although no NodeClaim holds the host' }
const leaving = aHost({ state: 'Leaving', leavePending: true, ...zombie })
const lastRun = { id: 'run-1', phase: 'leave', endedAtMs: t0 } as const

describe('planHostNews, agents', () => {
  it('tells of a zombie once, however its record goes on', () => {
    const found = aHost({ state: 'Unhealthy', ...zombie })
    assert.deepEqual(told(aHost(), found, leaving, leaving), ['Warning ZombieKubelet'])
  })

  it('tells that a zombie has left', () => {
    const left = aHost({ state: 'Pending', lastRun: { ...lastRun, result: 'succeeded' } })
    assert.deepEqual(told(leaving, left, aHost()), ['Warning ZombieKubelet', 'Normal ZombieLeft'])
  })

  it('ref 115: tells that a zombie could not be left, with what went wrong', () => {
    const failed = aHost({
      state: 'Unhealthy',
      leavePending: true,
      reason: 'LeaveFailed',
      message: 'leave exited with code 1',
      lastRun: { ...lastRun, result: 'failed' },
    })
    assert.deepEqual(told(leaving, failed, failed), ['Warning ZombieKubelet', 'Warning ZombieLeaveFailed'])
    const sshHost = anSSHHost({ status: projectHostStatus(leaving, t0) })
    const [news] = planHostNews(sshHost, failed, projectHostStatus(failed, t0))
    assert.equal(news?.message, 'LeaveFailed: leave exited with code 1')
  })

  it('ref 104: tells of a foreign agent once', () => {
    const foreign = aHost({ state: 'Unhealthy', reason: 'ForeignKubelet', message: 'foreign membership' })
    assert.deepEqual(told(aHost(), foreign, foreign), ['Warning ForeignKubelet'])
  })

  it('SSH-01: tells of a changed host key, which only an operator can settle', () => {
    const quarantine = { reason: 'HostKeyChanged', message: 'pinned SHA256:a, it shows SHA256:b' }
    assert.deepEqual(told(aHost(), aHost({ state: 'Unhealthy', quarantine, ...quarantine })), [
      'Warning HostKeyChanged',
    ])
  })

  it('says nothing of a host that only does not answer: its status does', () => {
    const silent = aHost({ state: 'Unhealthy', reason: 'ConnectTimeout', message: 'no answer' })
    assert.deepEqual(told(aHost(), silent, aHost()), [])
  })
})
