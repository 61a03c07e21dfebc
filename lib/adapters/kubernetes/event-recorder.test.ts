import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../../../test/support/fakes/clock.ts'
import { fakeIds } from '../../../test/support/fakes/ids.ts'
import { fakeLog } from '../../../test/support/fakes/log.ts'
import { makeFakeKubernetes } from '../../../test/support/fakes/kubernetes.ts'
import { eventsV1 } from '../../kubernetes/resources.ts'
import { makeEventRecorder } from './event-recorder.ts'

const startMs = Date.UTC(2026, 0, 1, 12, 0, 0)

function aRecorder() {
  const kubernetes = makeFakeKubernetes()
  const clock = fakeClock(startMs)
  const log = fakeLog()
  const clusters = { connect: () => kubernetes }
  const recorder = makeEventRecorder({ clusters, clock, ids: fakeIds('e'), log, instance: 'reconcile' })
  return { recorder, kubernetes, clock, log, written: () => kubernetes.all(eventsV1) }
}

const news = {
  cluster: 'lab',
  object: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'workers-abcde', uid: 'u1' },
  type: 'Warning',
  reason: 'JoinFailed',
  message: 'exit code 1',
} as const

describe('the event recorder', () => {
  it('writes an events.k8s.io event about an object, in the default namespace if it has none', async () => {
    const { recorder, written } = aRecorder()
    await recorder.record(news)
    const [event] = written()
    const { metadata, ...rest } = event ?? {}
    assert.equal((metadata as { name: string }).name, 'workers-abcde.e-1')
    assert.equal((metadata as { namespace: string }).namespace, 'default')
    delete rest['apiVersion']
    delete rest['kind']
    assert.deepEqual(rest, {
      eventTime: '2026-01-01T12:00:00.000000Z',
      reportingController: 'kpssh',
      reportingInstance: 'reconcile',
      action: 'JoinFailed',
      reason: 'JoinFailed',
      type: 'Warning',
      note: 'exit code 1',
      regarding: news.object,
    })
  })

  it('tells the same news once in two minutes', async () => {
    const { recorder, clock, written } = aRecorder()
    await recorder.record(news)
    clock.advance(119_000)
    await recorder.record(news)
    assert.equal(written().length, 1)
    clock.advance(1_000)
    await recorder.record(news)
    assert.equal(written().length, 2)
  })

  it('tells other news at once: of another object, for another reason, in other words', async () => {
    const { recorder, written } = aRecorder()
    await recorder.record(news)
    await recorder.record({ ...news, object: { ...news.object, uid: 'u2' } })
    await recorder.record({ ...news, reason: 'AdoptFailed' })
    await recorder.record({ ...news, message: 'exit code 2' })
    assert.equal(written().length, 4)
  })

  it('cuts a note to what the API takes, between characters', async () => {
    const { recorder, written } = aRecorder()
    await recorder.record({ ...news, message: 'ä'.repeat(1_000) })
    const note = String(written()[0]?.['note'])
    assert.ok(Buffer.byteLength(note) <= 1_024)
    assert.match(note, /^ä+…$/)
  })

  it('logs an event that cannot be written and goes on', async () => {
    const { recorder, kubernetes, log } = aRecorder()
    kubernetes.before = () => {
      throw new Error('down')
    }
    await recorder.record(news)
    assert.deepEqual(
      log.lines.map(({ level, event }) => [level, event]),
      [['warn', 'kubernetes.event-lost']],
    )
  })
})
