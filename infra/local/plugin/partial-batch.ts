// Which records of a batch failed, read from a function's reply as Lambda's SQS event source reads it
// (ReportBatchItemFailures): nothing to report is success; a reply that cannot be understood fails the whole batch.

/** Ids of the records that must stay in the queue. */
export function failedRecordIds(reply: unknown, messageIds: readonly string[]): ReadonlySet<string> {
  const all = new Set(messageIds)
  if (reply === undefined || reply === null) return new Set()
  if (typeof reply !== 'object') return all
  if (!('batchItemFailures' in reply) || reply.batchItemFailures === null) return new Set()
  if (!Array.isArray(reply.batchItemFailures)) return all
  const failed = new Set<string>()
  for (const failure of reply.batchItemFailures as readonly unknown[]) {
    const id = identifierOf(failure)
    if (id === undefined || !all.has(id)) return all
    failed.add(id)
  }
  return failed
}

function identifierOf(failure: unknown): string | undefined {
  if (typeof failure !== 'object' || failure === null || !('itemIdentifier' in failure)) return undefined
  return typeof failure.itemIdentifier === 'string' ? failure.itemIdentifier : undefined
}
