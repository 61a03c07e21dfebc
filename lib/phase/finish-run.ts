// The end of a run, recorded once: whoever reports it second changes nothing.
import type { RunResult } from '../hosts/host-event.ts'
import type { HostRecord, Run } from '../hosts/host-record.ts'
import { withShortResult } from '../hosts/short-texts.ts'
import type { Activity } from './phase-deps.ts'

/** The record after the end; undefined if the run is somebody else's now. */
export async function finishRun(
  activity: Activity,
  run: Run,
  result: RunResult,
): Promise<HostRecord | undefined> {
  const { deps, message, scope, holder } = activity
  // That nothing was started is known only to the one delivery that holds the run.
  const restsOnHolder = result.kind === 'withdrawn' || result.kind === 'not-started'
  const installed = result.kind === 'succeeded' ? run.installs : undefined
  const outcome = await deps.changeHost(
    message.host,
    {
      kind: 'run-finished',
      runId: run.id,
      result,
      ...(restsOnHolder ? { holder } : {}),
      ...(installed === undefined ? {} : { installed }),
    },
    scope.clock.nowMs(),
  )
  if (outcome.kind === 'refused') return undefined
  if (outcome.kind === 'changed') await remember(activity, outcome.before, { run, result })
  return outcome.record
}

/** The ledger is for people: a line that cannot be written must not undo what happened. */
async function remember(
  { deps, scope }: Activity,
  before: HostRecord,
  { run, result: told }: { readonly run: Run; readonly result: RunResult },
): Promise<void> {
  const result = withShortResult(told)
  const nowMs = scope.clock.nowMs()
  const facts = {
    runId: run.id,
    phase: run.phase,
    outcome: result.kind,
    attempt: run.attempt,
    fence: run.fence,
    durationMs: nowMs - run.startedAtMs,
    ...(result.kind === 'succeeded' ? {} : { reason: result.reason, message: result.message }),
    ...(before.claim === undefined ? {} : { nodeClaim: before.claim.nodeClaim }),
  }
  try {
    await deps.history.append({ host: before.key, atMs: nowMs, kind: 'run', facts })
  } catch (cause) {
    scope.log.warn('history.failed', { runId: run.id, cause })
  }
}
