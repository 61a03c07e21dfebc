// The door of every function that a queue drives. Bytes become messages here, once; the use case behind sees only those.
// It fails closed: a record is acknowledged only when something said so. Records of one group (a host, a cluster) are
// handled in their order, and after one that failed the rest of its group is left for later; groups go side by side.
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { mapBounded } from '../ambient/map-bounded.ts'
import type { Facts, Scope } from '../ambient/ports.ts'
import { SpecError } from '../errors/spec-error.ts'
import { openScope, withFacts } from './invocation-scope.ts'
import { groupRecords } from './record-groups.ts'
import type { RecordRules, RecordVerdict } from './record-verdict.ts'
import type { Invocation, Runtime } from './runtime.ts'
import { withInvocation } from './with-invocation.ts'

export interface SqsFunction<M extends { readonly cluster: string }> {
  /** Throws for a body that is not such a message. */
  readonly decode: (body: string) => M
  /** Records of one group are never handled side by side. */
  readonly groupOf: (message: M) => string
  /** True if nothing is lost by not handling `earlier`, which came before `later` in the same group. */
  readonly supersedes?: (later: M, earlier: M) => boolean
  readonly maySend: (message: M, senderID: string) => boolean
  /** What was done, for the log line. */
  readonly handle: (message: M, scope: Scope) => Promise<Facts>
  readonly rules: RecordRules<M>
  /** A record is started only while this much time is left. */
  readonly budgetMs: number
  readonly maxParallel: number
}

export type SqsLambda = (event: SQSEvent, context: Invocation) => Promise<SQSBatchResponse>

interface ReadRecord<M> {
  readonly record: SQSRecord
  readonly message: M
}
type Settle = (record: SQSRecord, verdict: RecordVerdict) => void

export function sqsHandler<M extends { readonly cluster: string }>(
  fn: SqsFunction<M>,
  runtime: Runtime,
): SqsLambda {
  return withInvocation(runtime, async (event: SQSEvent, context: Invocation) => {
    const { scope, deadline, close } = openScope(context, runtime)
    const verdicts = new Map<string, RecordVerdict>()
    const settle: Settle = (record, verdict) => {
      verdicts.set(record.messageId, verdict)
      logVerdict(record, verdict, scope)
    }
    await Promise.race([settleAll(event.Records, { fn, scope, settle }), deadline])
    close()
    const open = event.Records.filter(({ messageId }) => verdicts.get(messageId)?.acknowledge !== true)
    for (const record of open.filter(({ messageId }) => !verdicts.has(messageId)))
      logVerdict(record, unfinished, scope)
    return { batchItemFailures: open.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  })
}

interface Batch<M extends { readonly cluster: string }> {
  readonly fn: SqsFunction<M>
  readonly scope: Scope
  readonly settle: Settle
}

async function settleAll<M extends { readonly cluster: string }>(
  records: readonly SQSRecord[],
  batch: Batch<M>,
): Promise<void> {
  const { fn, settle } = batch
  const readable: ReadRecord<M>[] = []
  for (const record of records) {
    const read = readRecord(record, fn)
    if (read.kind === 'read') readable.push({ record, message: read.message })
    else settle(record, await fn.rules.refused(record.body, read.error))
  }
  const { groups, superseded } = groupRecords(
    readable,
    ({ message }) => fn.groupOf(message),
    (later, earlier) => fn.supersedes?.(later.message, earlier.message) ?? false,
  )
  for (const { record } of superseded)
    settle(record, { acknowledge: true, level: 'info', event: 'record.superseded' })
  await mapBounded(groups, fn.maxParallel, (group) => settleGroup(group, batch))
}

function readRecord<M extends { readonly cluster: string }>(
  record: SQSRecord,
  { decode, maySend }: SqsFunction<M>,
): { readonly kind: 'read'; readonly message: M } | { readonly kind: 'refused'; readonly error: unknown } {
  try {
    const message = decode(record.body)
    const { SenderId } = record.attributes
    if (maySend(message, SenderId)) return { kind: 'read', message }
    const text = `Cannot accept a message for cluster "${message.cluster}": its sender is ${SenderId}, list it among that cluster's senders`
    return { kind: 'refused', error: new SpecError(text, { reason: 'SenderNotAllowed' }) }
  } catch (error) {
    return { kind: 'refused', error }
  }
}

async function settleGroup<M extends { readonly cluster: string }>(
  group: readonly ReadRecord<M>[],
  { fn, scope, settle }: Batch<M>,
): Promise<void> {
  let isBlocked = false
  for (const { record, message } of group) {
    isBlocked ||= scope.clock.nowMs() + fn.budgetMs > scope.deadlineAtMs
    const verdict: RecordVerdict = isBlocked ? notStarted : await handleRecord(record, message, { fn, scope })
    settle(record, verdict)
    isBlocked ||= !verdict.acknowledge
  }
}

async function handleRecord<M extends { readonly cluster: string }>(
  record: SQSRecord,
  message: M,
  { fn, scope }: { readonly fn: SqsFunction<M>; readonly scope: Scope },
): Promise<RecordVerdict> {
  const startedAtMs = scope.clock.nowMs()
  const group = fn.groupOf(message)
  const log = withFacts(scope.log, { messageId: record.messageId, group })
  const verdict = await attempt(record, message, { fn, scope: { ...scope, log } })
  const durationMs = scope.clock.nowMs() - startedAtMs
  return { ...verdict, facts: { group, durationMs, ...verdict.facts } }
}

async function attempt<M extends { readonly cluster: string }>(
  record: SQSRecord,
  message: M,
  { fn, scope }: { readonly fn: SqsFunction<M>; readonly scope: Scope },
): Promise<RecordVerdict> {
  try {
    return { acknowledge: true, level: 'info', event: 'record.done', facts: await fn.handle(message, scope) }
  } catch (error) {
    return fn.rules.failed({ message, body: record.body }, error)
  }
}

const notStarted: RecordVerdict = { acknowledge: false, level: 'warn', event: 'record.not-started' }
const unfinished: RecordVerdict = { acknowledge: false, level: 'error', event: 'record.unfinished' }

function logVerdict(record: SQSRecord, { level, event, facts, cause }: RecordVerdict, { log }: Scope): void {
  log[level](event, {
    messageId: record.messageId,
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
    ...facts,
    ...(cause === undefined ? {} : { cause }),
  })
}
