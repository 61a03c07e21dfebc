// Starts a run: look, decide, record, start. The record is written before the host hears of anything, and names a fence that
// only its writer has: of two that mean to start something, one reaches the host.
import { ConfigError } from '../errors/config-error.ts'
import { LostRaceError } from '../errors/lost-race-error.ts'
import { TransientError } from '../errors/transient-error.ts'
import type { RunReport, RunRequest } from '../execution/ports.ts'
import { clusterOf } from '../hosts/cluster-of.ts'
import type { HostRecord, Run } from '../hosts/host-record.ts'
import { secrets } from '../kubernetes/resources.ts'
import { learnFrom, watchOf } from './attach-run.ts'
import { newBootstrapToken, tokenSecret, tokenSecretName, tokenSecretNamespace } from './bootstrap-token.ts'
import { attachedUntilMs, busyPace, isTimeUp, leaseMs, longestAttachedMs, retryDelayMs } from './budgets.ts'
import { contactHost, type Contact } from './contact.ts'
import { decideLeave } from './decide-leave.ts'
import { decideStart } from './decide-start.ts'
import { finishRun } from './finish-run.ts'
import { lookAtJoin } from './look-at-join.ts'
import { lookAtLeave } from './look-at-leave.ts'
import type { Activity } from './phase-deps.ts'
import { dropped, type PhaseOutcome } from './phase-outcome.ts'
import { requestAgain, requestPhase } from './request-again.ts'
import { settle } from './run-follow-ups.ts'
import { isAttached } from './prepare-phase.ts'
import type { RunPlan, StartDecision } from './run-plan.ts'
import { watchStarted, type Started } from './run-watch.ts'
import type { WatchedRun } from './watched-run.ts'

export async function startRun(activity: Activity, record: HostRecord): Promise<PhaseOutcome> {
  if (isTimeUp(activity.scope)) return comeBackWithTime(activity, 1000)
  const decision = await decide(activity, record)
  switch (decision.kind) {
    case 'run':
      return aloneMs(decision.plan) > attachedUntilMs(activity.endsAtMs, activity.scope)
        ? comeBackWithTime(activity, retryDelayMs(busyPace, activity.deps.random))
        : begin(activity, record, decision.plan)
    case 'refuse':
      return refuse(activity, record, decision)
    case 'request':
      await requestPhase(activity, record, { ...decision, delayMs: 0 })
      return { kind: 'done', result: decision.reason, facts: { requested: decision.phase } }
    case 'gone':
      return forget(activity, record, decision.reason)
  }
}

/** Another invocation has more of it. */
async function comeBackWithTime(activity: Activity, delayMs: number): Promise<PhaseOutcome> {
  const { reason, attempt } = activity.message
  await requestAgain(activity, { reason, attempt, delayMs })
  return { kind: 'retry-later', reason: 'NoTimeLeft', facts: {} }
}

/** How long a run lasts that nobody else can watch, because it ends with its connection. */
function aloneMs({ request: { signed, timeoutMs } }: Pick<Planned, 'request'>): number {
  return isAttached(signed) ? Math.min(timeoutMs, longestAttachedMs) : 0
}

async function decide({ deps, message, scope }: Activity, record: HostRecord): Promise<StartDecision> {
  const { parseKnownHost, recipes, random } = deps
  const kubernetes = deps.clusters.connect(clusterOf(record))
  if (message.phase === 'leave') {
    const view = await lookAtLeave(kubernetes, recipes, record)
    return decideLeave({ record, view, nowMs: scope.clock.nowMs(), parseKnownHost })
  }
  const view = await lookAtJoin(kubernetes, record, message)
  const token = newBootstrapToken(random)
  const nowMs = scope.clock.nowMs()
  const attachedMs = longestAttachedMs
  return decideStart({ record, message, view, token, nowMs, attachedMs, parseKnownHost })
}

async function begin(activity: Activity, record: HostRecord, plan: RunPlan): Promise<PhaseOutcome> {
  if (plan.recipe !== undefined) await activity.deps.recipes.put(plan.recipe)
  const started = await recordStart(activity, record, plan)
  if (started.kind === 'over') return started.outcome
  const { watched } = started
  const contact = await startOnHost(activity, watched, plan)
  return watchStarted(activity, watched, { contact, startAgain })
}

type Planned = Pick<RunPlan, 'redact' | 'installs' | 'recipe'> & {
  readonly request: Pick<RunRequest, 'timeoutMs' | 'signed'>
}

type Recorded =
  | { readonly kind: 'recorded'; readonly watched: WatchedRun }
  | { readonly kind: 'over'; readonly outcome: PhaseOutcome }

async function recordStart(
  { deps, message, scope, holder }: Activity,
  record: HostRecord,
  plan: Planned,
): Promise<Recorded> {
  const nowMs = scope.clock.nowMs()
  const { timeoutMs, signed } = plan.request
  const run: Omit<Run, 'fence'> = {
    id: deps.ids.next(),
    phase: message.phase,
    attempt: message.attempt,
    startedAtMs: nowMs,
    timeoutMs,
    leaseUntilMs: nowMs + aloneMs(plan) + leaseMs,
    holder,
    ...(isAttached(signed) ? { endsWithContact: true } : {}),
    ...(plan.installs === undefined ? {} : { installs: plan.installs }),
  }
  const leaveRecipe = plan.recipe === undefined ? {} : { leaveRecipe: plan.recipe.digest }
  const claimUid = message.nodeClaim?.uid
  const outcome = await deps.changeHost(
    record.key,
    { kind: 'run-started', run, claimUid, ...leaveRecipe },
    nowMs,
  )
  const begun = outcome.record?.run
  if (outcome.kind === 'refused' || begun === undefined) {
    return { kind: 'over', outcome: dropped(outcome.kind === 'refused' ? outcome.reason : 'AnotherRun') }
  }
  return { kind: 'recorded', watched: { record: outcome.record, run: begun, redact: plan.redact } }
}

async function startOnHost(
  activity: Activity,
  { record, run }: WatchedRun,
  plan: RunPlan,
): Promise<Contact<RunReport>> {
  const { deps } = activity
  await mintToken(activity, record, plan)
  const installationID = await deps.installation()
  const request: RunRequest = { ...plan.request, runId: run.id, fence: run.fence, installationID }
  const contact = await contactHost(() => deps.runs.start(plan.target, request, watchOf(activity)))
  await learnFrom(activity, record, contact)
  return contact
}

/** The id is recorded before the Secret exists: a token that nobody knows of could never be collected. */
async function mintToken(activity: Activity, record: HostRecord, plan: RunPlan): Promise<void> {
  const { deps, message, scope } = activity
  const { claim } = record
  if (plan.token === undefined || claim === undefined) return
  const { token, ...facts } = plan.token
  const event = { kind: 'token-recorded', tokenID: token.id, uid: claim.uid } as const
  const recorded = await deps.changeHost(message.host, event, scope.clock.nowMs())
  if (recorded.kind === 'refused') throw overtaken(record, recorded.reason)
  const kubernetes = deps.clusters.connect(claim.cluster)
  const created = await kubernetes.create(secrets, tokenSecret(token, facts), tokenSecretNamespace)
  if (created.kind === 'exists') {
    throw new TransientError(`Cannot mint token "${token.id}": it exists, another one is taken`, {
      retryAfterMs: 1000,
    })
  }
  if (created.kind === 'invalid') throw new ConfigError(`Cannot mint a bootstrap token: ${created.message}`)
  // Whoever collected the id while we stood still found no Secret yet: nobody else would delete this one.
  const now = await deps.hosts.get(message.host)
  if (now?.tokenIDs.includes(token.id) === true) return
  await kubernetes.delete(secrets, tokenSecretName(token.id), { namespace: tokenSecretNamespace })
  throw overtaken(record, 'its token was collected')
}

function overtaken({ key }: HostRecord, state: string): LostRaceError {
  return new LostRaceError(`Cannot go on with host "${key.name}": ${state}, another delivery was faster`)
}

/** Refused before anything was started: recorded as a run that never was, so that the claim ends with its reason. */
async function refuse(
  activity: Activity,
  record: HostRecord,
  { reason, message, blamesHost }: Extract<StartDecision, { kind: 'refuse' }>,
): Promise<PhaseOutcome> {
  const started = await recordStart(activity, record, { redact: (text) => text, request: { timeoutMs: 0 } })
  if (started.kind === 'over') return started.outcome
  const result = { kind: 'not-started', reason, message, blamesHost } as const
  const finished = await finishRun(activity, started.watched.run, result)
  return finished === undefined ? dropped('AnotherRun') : settle(activity, finished)
}

/** Nobody wants the host any more under this claim; what was joined must leave. */
async function forget(activity: Activity, record: HostRecord, reason: string): Promise<PhaseOutcome> {
  if (record.leavePending) await requestPhase(activity, record, { phase: 'leave', reason, delayMs: 0 })
  return dropped(reason)
}

/** A recorded run that the host has never heard of: its invocation was killed before it got there. */
export async function startAgain(activity: Activity, watched: WatchedRun): Promise<Started> {
  const { record, run } = watched
  const decision = await decide(activity, record)
  if (decision.kind === 'run' && !isAttached(decision.plan.request.signed)) {
    const contact = await startOnHost(activity, watched, decision.plan)
    return { kind: 'contact', contact, redact: decision.plan.redact }
  }
  const why = decision.kind === 'refuse' ? decision.message : `${run.phase} is not wanted as it was recorded`
  const cause = { reason: decision.kind === 'run' ? 'ManifestGone' : decision.reason, message: why }
  // A host whose own records are gone looks the same: a join may have begun.
  const result =
    run.phase === 'join'
      ? ({ kind: 'indeterminate', ...cause } as const)
      : ({ kind: 'not-started', blamesHost: false, ...cause } as const)
  const finished = await finishRun(activity, run, result)
  return {
    kind: 'over',
    outcome: finished === undefined ? dropped('AnotherRun') : await settle(activity, finished),
  }
}
