import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SQSRecord } from 'aws-lambda'
import { aRunPhaseOn } from '../../test/support/builders/messages.ts'
import { anInvocation, anSqsEvent, anSqsRecord } from '../../test/support/builders/sqs-event.ts'
import { fakeLog, type FakeLog } from '../../test/support/fakes/log.ts'
import { fakeMessageSender, type FakeMessageSender } from '../../test/support/fakes/message-sender.ts'
import { fakeRandom } from '../../test/support/fakes/random.ts'
import { steeredClock, type SteeredClock } from '../../test/support/fakes/steered-clock.ts'
import type { Facts } from '../ambient/ports.ts'
import { HostError } from '../errors/host-error.ts'
import { LostRaceError } from '../errors/lost-race-error.ts'
import { SpecError } from '../errors/spec-error.ts'
import { RunPhase } from '../messages/run-phase.ts'
import { observationRules } from './observation-rules.ts'
import { requestRules } from './request-rules.ts'
import { sqsHandler, type SqsFunction, type SqsLambda } from './sqs-handler.ts'

const t0 = 1_767_225_600_000

interface Bench {
  readonly handler: SqsLambda
  readonly handled: readonly string[]
  readonly clock: SteeredClock
  readonly log: FakeLog
  readonly messages: FakeMessageSender
  /** Ids of the records that the handler left in the queue. */
  deliver(...records: readonly SQSRecord[]): Promise<readonly string[]>
}

function setUp(
  handle: (message: RunPhase, bench: { readonly clock: SteeredClock }) => Promise<Facts>,
  overrides: Partial<SqsFunction<RunPhase>> & { readonly failWith?: Error } = {},
): Bench {
  const clock = steeredClock(t0)
  const log = fakeLog()
  const messages = fakeMessageSender({ failWith: overrides.failWith })
  const handled: string[] = []
  const handler = sqsHandler<RunPhase>(
    {
      decode: (body) => RunPhase.parse(JSON.parse(body)),
      groupOf: (message) => message.host.name,
      maySend: () => true,
      handle: (message) => {
        handled.push(message.host.name + (message.runId ?? ''))
        return handle(message, { clock })
      },
      rules: requestRules('join', { messages, clock, random: fakeRandom() }),
      budgetMs: 10_000,
      maxParallel: 8,
      ...overrides,
    },
    { clock, log, begin: () => undefined, end: () => undefined },
  )
  async function deliver(...records: readonly SQSRecord[]): Promise<readonly string[]> {
    const reply = await handler(anSqsEvent(...records), anInvocation(clock))
    return reply.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
  }
  return { handler, handled, clock, log, messages, deliver }
}

/** A record whose messageId is `<host><run>`. */
function record(host: string, runId = ''): SQSRecord {
  return anSqsRecord(host + runId, JSON.stringify(aRunPhaseOn(host, runId === '' ? {} : { runId })))
}
const done = () => Promise.resolve({ kind: 'joined' })

describe('sqsHandler', () => {
  it('acknowledges what was handled and logs one line for each record', async () => {
    const bench = setUp(done)
    assert.deepEqual(await bench.deliver(record('a'), record('b')), [])
    assert.deepEqual(
      bench.log.lines.map(({ level, event, facts }) => [level, event, facts['messageId'], facts['kind']]),
      [
        ['info', 'record.done', 'a', 'joined'],
        ['info', 'record.done', 'b', 'joined'],
      ],
    )
  })

  it('DEV-03: answers an object when there is nothing to handle', async () => {
    const { handler, clock } = setUp(done)
    assert.deepEqual(await handler(anSqsEvent(), anInvocation(clock)), { batchItemFailures: [] })
  })

  it('SQS-01: leaves in the queue exactly the record whose handling met a bug, of ten', async () => {
    const bench = setUp(async (message) => {
      if (message.host.name === 'h4') throw new TypeError('undefined is not a function')
      return { kind: 'joined' }
    })
    const records = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'h7', 'h8', 'h9', 'h10'].map((host) => record(host))
    assert.deepEqual(await bench.deliver(...records), ['h4'])
    assert.equal(bench.handled.length, 10)
  })

  it('SQS-01: throws when nothing can be said about any record, so that the whole batch comes back', async () => {
    const { handler, clock } = setUp(done)
    const context = { ...anInvocation(clock), getRemainingTimeInMillis: () => assert.fail('no time known') }
    await assert.rejects(handler(anSqsEvent(record('a')), context), /no time known/)
  })

  it('SQS-14: after a failure leaves the rest of its group alone and goes on with other groups', async () => {
    const bench = setUp(async (message) => {
      if (message.host.name === 'B') throw new Error('a bug')
      return { kind: 'joined' }
    })
    assert.deepEqual(
      await bench.deliver(record('A', '1'), record('B', '1'), record('A', '2'), record('B', '2')),
      ['B1', 'B2'],
    )
    assert.deepEqual(bench.handled.toSorted(), ['A1', 'A2', 'B1'])
  })

  it('SQS-15: reports all records when all failed, without throwing', async () => {
    const bench = setUp(() => Promise.reject(new Error('a bug')))
    assert.deepEqual(await bench.deliver(record('a'), record('b'), record('c')), ['a', 'b', 'c'])
  })

  it('SQS-16: a body that never parses holds up its own record only', async () => {
    const bench = setUp(done)
    const poison = anSqsRecord('poison', '{"type":"RunPhase","host":', { receiveCount: 3 })
    const others = ['1', '2', '3', '4', '5'].flatMap((run) => [record('A', run), record('B', run)])
    assert.deepEqual(await bench.deliver(poison, ...others), ['poison'])
    assert.deepEqual(
      bench.handled.filter((name) => name.startsWith('A')),
      ['A1', 'A2', 'A3', 'A4', 'A5'],
    )
    const [line] = bench.log.lines
    assert.deepEqual([line?.event, line?.facts['receiveCount']], ['record.refused', 3])
  })

  it('handles records of one host in order and hosts side by side, never more than the bound', async () => {
    let running = 0
    let most = 0
    const bench = setUp(
      async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        return { kind: 'joined' }
      },
      { maxParallel: 2 },
    )
    await bench.deliver(record('a', '1'), record('b', '1'), record('c', '1'), record('a', '2'))
    assert.equal(most, 2)
    assert.deepEqual(
      bench.handled.filter((name) => name.startsWith('a')),
      ['a1', 'a2'],
    )
  })

  it('acknowledges unhandled what a later record of its group made pointless', async () => {
    const bench = setUp(done, { supersedes: () => true })
    assert.deepEqual(await bench.deliver(record('a', '1'), record('b', '1'), record('a', '2')), [])
    assert.deepEqual(bench.handled.toSorted(), ['a2', 'b1'])
  })

  it('starts no record for which the time left is too short, and reports it', async () => {
    const bench = setUp(async (_message, { clock }) => {
      await clock.advance(50_000)
      return { kind: 'joined' }
    })
    assert.deepEqual(await bench.deliver(record('a', '1'), record('a', '2')), ['a2'])
    assert.deepEqual(bench.handled, ['a1'])
  })

  it('answers before Lambda kills it: what ended is acknowledged, what hangs is reported and told to stop', async () => {
    let signal: AbortSignal | undefined
    const bench = setUp(done, {
      handle: (message, scope) => {
        if (message.host.name === 'fast') return done()
        signal = scope.signal
        return new Promise(() => undefined)
      },
    })
    const reply = bench.deliver(record('fast'), record('hangs'))
    await bench.clock.advance(57_999)
    assert.equal(signal?.aborted, false)
    await bench.clock.advance(1)
    assert.deepEqual(await reply, ['hangs'])
    assert.equal(signal?.aborted, true)
    assert.equal(bench.log.lines.at(-1)?.event, 'record.unfinished')
  })

  it('refuses a record whose sender may not speak for its cluster', async () => {
    const bench = setUp(done, {
      maySend: (message, senderID) => senderID === 'AROAWATCHER:watcher' && message.cluster === 'lab',
    })
    const forged = anSqsRecord('forged', JSON.stringify(aRunPhaseOn('a')), { senderID: 'AROAOTHER:x' })
    assert.deepEqual(await bench.deliver(forged, record('b')), ['forged'])
    assert.deepEqual(bench.handled, ['b'])
  })
})

describe('sqsHandler with the rules of requests', () => {
  const fails = (error: Error) => setUp(() => Promise.reject(error))

  it('sends a request whose host was unreachable again, later, with the next attempt, and acknowledges it', async () => {
    const bench = fails(new HostError('Cannot connect to "a": refused'))
    assert.deepEqual(await bench.deliver(record('a')), [])
    assert.deepEqual(bench.messages.sent, [
      { queue: 'join', message: aRunPhaseOn('a', { attempt: 2 }), delaySeconds: 3 },
    ])
  })

  it('acknowledges and reports what will not get better by itself', async () => {
    const bench = fails(new SpecError('Cannot use "profile": no join script'))
    assert.deepEqual(await bench.deliver(record('a')), [])
    assert.deepEqual(
      bench.log.lines.map(({ level, event }) => [level, event]),
      [['warn', 'record.rejected']],
    )
  })

  it('drops a lost race at info', async () => {
    const bench = fails(new LostRaceError('Cannot go on with "a": its fence is stale'))
    assert.deepEqual(await bench.deliver(record('a')), [])
    assert.deepEqual(
      bench.log.lines.map(({ level, event }) => [level, event]),
      [['info', 'record.dropped']],
    )
  })

  it('keeps a record that should be tried again but could not be sent', async () => {
    const bench = setUp(() => Promise.reject(new HostError('Cannot connect to "a": refused')), {
      rules: requestRules('join', {
        messages: fakeMessageSender({ failWith: new Error('no queue') }),
        clock: steeredClock(t0),
        random: fakeRandom(),
      }),
    })
    assert.deepEqual(await bench.deliver(record('a')), ['a'])
  })
})

describe('sqsHandler with the rules of observations', () => {
  const messages = fakeMessageSender()

  it('copies a body that does not parse to the dead-letter queue with its evidence, and acknowledges it', async () => {
    const bench = setUp(done, { rules: observationRules('events', messages) })
    assert.deepEqual(await bench.deliver(anSqsRecord('bad', 'not json')), [])
    assert.equal(messages.deadLetters.length, 1)
    assert.deepEqual([messages.deadLetters[0]?.queue, messages.deadLetters[0]?.body], ['events', 'not json'])
    assert.match(messages.deadLetters[0]?.reason ?? '', /JSON/)
  })

  it('acknowledges a failed activation, for the next heartbeat is its retry', async () => {
    const bench = setUp(() => Promise.reject(new Error('a bug')), {
      rules: observationRules('events', messages),
    })
    assert.deepEqual(await bench.deliver(record('a', '1'), record('a', '2')), [])
    assert.deepEqual(bench.handled, ['a1', 'a2'])
  })

  it('keeps an unreadable record that could not be copied', async () => {
    const unreachable = fakeMessageSender({ failWith: new Error('no queue') })
    const bench = setUp(done, { rules: observationRules('events', unreachable) })
    assert.deepEqual(await bench.deliver(anSqsRecord('bad', 'not json')), ['bad'])
  })
})
