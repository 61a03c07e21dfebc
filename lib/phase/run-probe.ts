// Looks at hosts that nobody holds, a few at a time, each for itself: one that hangs or is broken does not keep the others.
import { mapBounded } from '../ambient/map-bounded.ts'
import type { Random, Scope } from '../ambient/ports.ts'
import type { HostRuns } from '../execution/ports.ts'
import type { ChangeHost } from '../hosts/change-host.ts'
import type { HostKey, HostRecord } from '../hosts/host-record.ts'
import type { HostReader } from '../hosts/ports.ts'
import type { Clusters } from '../kubernetes/ports.ts'
import type { MessageSender } from '../messages/ports.ts'
import type { ProbeHosts } from '../messages/run-phase.ts'
import { isTimeUp, requestWindowMs, retryDelayMs } from './budgets.ts'
import { contactHost } from './contact.ts'
import type { AgentReport } from './decide-left.ts'
import { classifyProbe, decideProbe, isOvertaken, mayProbe, type ProbeVerdict } from './decide-probe.ts'
import { learnHostKeys } from './learn-from-contact.ts'
import type { ParseKnownHost } from './ssh-credentials.ts'
import { sshTargetOf } from './ssh-target.ts'

export interface ProbeDeps {
  readonly hosts: Pick<HostReader, 'get'>
  readonly changeHost: ChangeHost
  readonly installation: () => Promise<string>
  readonly runs: Pick<HostRuns, 'probe'>
  readonly clusters: Clusters
  readonly messages: MessageSender
  readonly random: Random
  readonly parseKnownHost: ParseKnownHost
}

type Result = ProbeVerdict | 'skipped' | 'overtaken' | 'askedAgain' | 'notReached'
export type ProbeCounts = { readonly kind: 'probed' } & Readonly<Record<Result, number>>
export type ProbeHostsUseCase = (message: ProbeHosts, scope: Scope) => Promise<ProbeCounts>

const maxParallel = 8

export function makeProbeHosts(deps: ProbeDeps): ProbeHostsUseCase {
  return async function probeHosts(message, scope) {
    const installationID = await deps.installation()
    const look = { deps, message, scope, installationID }
    const settled = await mapBounded(message.hosts, maxParallel, (host) =>
      probeHost(look, host).then(
        (result) => ({ host, result }),
        (cause: unknown) => ({ host, cause }),
      ),
    )
    const results = settled.filter((one) => 'result' in one)
    await askAgain(look, results)
    const broken = settled.find((one) => 'cause' in one)
    // Everything else is done and recorded; looking at it once more does no harm.
    if (broken !== undefined) throw broken.cause
    return countsOf(results.map(({ result }) => result))
  }
}

interface Look {
  readonly deps: ProbeDeps
  readonly message: ProbeHosts
  readonly scope: Scope
  readonly installationID: string
}

async function probeHost(look: Look, key: HostKey): Promise<Result> {
  const { deps, message, scope, installationID } = look
  if (scope.clock.nowMs() >= message.deadlineAtMs) return 'skipped'
  if (isTimeUp(scope)) return 'notReached'
  const record = await deps.hosts.get(key)
  if (record === undefined || !mayProbe(record)) return 'skipped'
  const contact = await contactHost<AgentReport>(async () => {
    const target = await sshTargetOf(deps.clusters.connect(record.cluster), record, deps.parseKnownHost)
    const { agentUnits } = record
    return deps.runs.probe(target, { agentUnits, ...(scope.signal && { signal: scope.signal }) })
  })
  const now = await deps.hosts.get(key)
  if (now === undefined || isOvertaken(record, now)) return 'overtaken'
  const atMs = scope.clock.nowMs()
  if (contact.kind === 'reported') {
    await learnHostKeys(deps.changeHost, record, { hostKeys: contact.hostKeys, atMs })
  }
  const step = decideProbe(contact, { record, attempt: message.attempt, installationID })
  if (step.kind === 'ask-again') return 'askedAgain'
  const outcome = await deps.changeHost(key, step.event, atMs)
  if (outcome.record === undefined) return 'overtaken'
  return conclude(look, record, outcome.record)
}

async function conclude(look: Look, before: HostRecord, after: HostRecord): Promise<Result> {
  const { deps, scope } = look
  const verdict = classifyProbe(after)
  const isLeft = verdict === 'zombie' && (await leaveZombie(look, after))
  if (isLeft || before.state !== after.state || before.reason !== after.reason) {
    await deps.messages.send('events', {
      type: 'HostChanged',
      version: 1,
      cluster: after.cluster,
      host: after.key,
      what: 'probe',
      atMs: scope.clock.nowMs(),
    })
  }
  return verdict
}

/** The record says that a leave is owed before anybody is asked for it. */
async function leaveZombie({ deps, scope }: Look, record: HostRecord): Promise<boolean> {
  const nowMs = scope.clock.nowMs()
  const found = await deps.changeHost(record.key, { kind: 'zombie-found' }, nowMs)
  if (found.kind === 'refused') return false
  await deps.messages.send('leave', {
    type: 'RunPhase',
    version: 1,
    cluster: record.cluster,
    phase: 'leave',
    host: record.key,
    reason: 'Zombie',
    attempt: 1,
    requestedAtMs: nowMs,
    deadlineAtMs: nowMs + requestWindowMs,
  })
  return true
}

async function askAgain(
  { deps, message }: Look,
  results: readonly { readonly host: HostKey; readonly result: Result }[],
): Promise<void> {
  const { attempt } = message
  const hostsOf = (wanted: Result) =>
    results.filter(({ result }) => result === wanted).map(({ host }) => host)
  const silent = hostsOf('askedAgain')
  if (silent.length > 0) {
    const delaySeconds = Math.ceil(retryDelayMs(attempt, deps.random) / 1000)
    await deps.messages.send('probe', { ...message, hosts: silent, attempt: attempt + 1 }, { delaySeconds })
  }
  const unseen = hostsOf('notReached')
  if (unseen.length > 0) await deps.messages.send('probe', { ...message, hosts: unseen }, { delaySeconds: 1 })
}

function countsOf(results: readonly Result[]): ProbeCounts {
  const count = (wanted: Result) => results.filter((result) => result === wanted).length
  return {
    kind: 'probed',
    healthy: count('healthy'),
    failed: count('failed'),
    quarantined: count('quarantined'),
    zombie: count('zombie'),
    foreign: count('foreign'),
    skipped: count('skipped'),
    overtaken: count('overtaken'),
    askedAgain: count('askedAgain'),
    notReached: count('notReached'),
  }
}
