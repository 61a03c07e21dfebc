// A fleet in memory that keeps the promises of the host side: one run at a time, fences, one installation, deadlines kept
// by the host, outcomes that outlive the connection, records that survive a reboot. Programmed by input: what a host does
// wrong is said by its name, or by a fault put before its next contact.
import type { Clock } from '../../../lib/ambient/ports.ts'
import { HostError } from '../../../lib/errors/host-error.ts'
import { HostIdentityError } from '../../../lib/errors/host-identity-error.ts'
import type {
  HostAdoption,
  HostRuns,
  ProbeReport,
  Reported,
  RunOutcome,
  RunReport,
  RunRequest,
  SshTarget,
  Watch,
} from '../../../lib/execution/ports.ts'
import type { HostKeyPin } from '../../../lib/hosts/host-record.ts'
import { parseHostScript, type ScriptStep } from './host-script.ts'

/** What goes wrong at the next contact with a host. */
export type HostFault =
  /** Nobody listens: nothing was started. */
  | 'refuses-connect'
  | 'refuses-auth'
  /** Contact lost before the host read anything. */
  | 'drops-before-start'
  /** Contact lost after the run was started. */
  | 'drops-mid-stream'
  /** The host has another key than it had. */
  | 'shows-other-key'
  | 'needs-tty'

const nameFaults: readonly HostFault[] = ['refuses-connect', 'refuses-auth', 'shows-other-key', 'needs-tty']

export interface FakeExecution {
  readonly runId: string
  readonly phase: RunRequest['phase']
  readonly fence: number
  readonly script: string
  readonly environment: Readonly<Record<string, string>>
  readonly startedAtMs: number
  /** What came along for a host in mode Verified. */
  readonly signed?: RunRequest['signed']
}

interface FakeRun {
  readonly request: RunRequest
  readonly startedAtMs: number
  readonly steps: readonly ScriptStep[]
  next: number
  /** When the next step is due. */
  dueAtMs: number
  stdout: string
  stderr: string
  outcome: RunOutcome | undefined
}

export interface FakeHost {
  readonly name: string
  /** Every run that was really started, in order: the ledger that tests look at. */
  readonly executed: FakeExecution[]
  readonly runs: Map<string, FakeRun>
  readonly faults: HostFault[]
  agent: ProbeReport['agent']
  isAgentEnabled: boolean
  bootID: string
  boots: number
  clockSkewMs: number
  installation: { id?: string; fence: number } | undefined
  running: FakeRun | undefined
  contacts: number
}

export interface FakeFleet extends HostRuns, HostAdoption {
  /** The host behind an address; made on first use. */
  host(address: string): FakeHost
  readonly all: readonly FakeHost[]
  reboot(host: FakeHost): void
}

const hostKey: HostKeyPin = { type: 'ssh-ed25519', fingerprint: `SHA256:${'a'.repeat(43)}` }
export const fakeHostKey = hostKey
const otherFingerprint = `SHA256:${'b'.repeat(43)}`
const yearSeconds = 365 * 24 * 3600

export function makeFakeFleet(clock: Clock): FakeFleet {
  const hosts = new Map<string, FakeHost>()

  function host(address: string): FakeHost {
    const known = hosts.get(address)
    if (known !== undefined) return known
    const made = makeHost(address)
    hosts.set(address, made)
    return made
  }

  /** Connects: throws for what fails before anything is sent, returns a fault that shows later. */
  function contact(target: SshTarget): { found: FakeHost; fault: HostFault | undefined } {
    const found = host(target.address)
    found.contacts += 1
    advance(found, clock.nowMs())
    const fault = nameFaults.find((name) => found.name.includes(name)) ?? found.faults.shift()
    if (fault === 'refuses-connect')
      throw new HostError(`Cannot connect to "${target.label}": refused`, { reason: 'ConnectRefused' })
    if (fault === 'refuses-auth')
      throw new HostError(`Cannot log in to "${target.label}": refused`, { reason: 'AuthFailed' })
    const isPinnedElsewhere =
      target.pins.length > 0 && target.pins.every((pin) => pin.fingerprint !== hostKey.fingerprint)
    if ((fault === 'shows-other-key' && target.pins.length > 0) || isPinnedElsewhere) {
      const pinned = target.pins.map((pin) => pin.fingerprint).join(' ')
      const seen = fault === 'shows-other-key' ? otherFingerprint : hostKey.fingerprint
      throw new HostIdentityError(`Cannot trust "${target.label}": pinned ${pinned}, it shows ${seen}`, {
        reason: 'HostKeyChanged',
      })
    }
    return { found, fault }
  }

  async function watchRun(found: FakeHost, run: FakeRun, watch: Watch): Promise<RunReport> {
    const untilMs = clock.nowMs() + watch.waitMs
    while (run.outcome === undefined && clock.nowMs() < untilMs && watch.signal?.aborted !== true) {
      await clock.wait(Math.max(1, Math.min(nextChange(run), untilMs) - clock.nowMs()), watch.signal)
      advance(found, clock.nowMs())
    }
    if (run.outcome !== undefined) return { kind: 'finished', outcome: run.outcome, bootID: found.bootID }
    return { kind: 'running', offset: run.stdout.length + run.stderr.length, bootID: found.bootID }
  }

  return {
    host,
    get all() {
      return [...hosts.values()]
    },
    reboot: (found) => reboot(found, clock.nowMs()),
    async start(target, request, watch) {
      const { found, fault } = contact(target)
      if (fault === 'needs-tty')
        return reported({ kind: 'unable', reason: 'SudoNeedsTty', message: 'sudo wants a terminal' })
      if (fault === 'drops-before-start')
        return reported({ kind: 'indeterminate', message: 'contact lost while sending' })
      const admitted = admit(found, request, clock.nowMs())
      if ('kind' in admitted) return reported(admitted)
      if (fault === 'drops-mid-stream')
        return reported({ kind: 'indeterminate', message: 'contact lost after sending' })
      return reported(await watchRun(found, admitted, watch))
    },
    async attach(target, { runId }, watch) {
      const { found, fault } = contact(target)
      if (fault === 'needs-tty')
        return reported({ kind: 'unable', reason: 'SudoNeedsTty', message: 'sudo wants a terminal' })
      if (fault !== undefined)
        return reported({ kind: 'indeterminate', message: 'contact lost while watching' })
      const run = found.runs.get(runId)
      return reported(run === undefined ? { kind: 'unknown' } : await watchRun(found, run, watch))
    },
    async probe(target) {
      const { found, fault } = contact(target)
      if (fault === 'needs-tty')
        return reported({ kind: 'unable', reason: 'SudoNeedsTty', message: 'sudo wants a terminal' })
      if (fault !== undefined)
        throw new HostError(`Cannot probe "${target.label}": contact lost`, { reason: 'Disconnected' })
      return reported(probeReport(found))
    },
    adopt(target, { installationID, fence }) {
      const { found } = contact(target)
      if (found.running !== undefined)
        return Promise.resolve(
          reported(refused('RunInProgress', `run ${found.running.request.runId} is going`)),
        )
      const before = found.installation?.id
      found.installation = { id: installationID, fence }
      return Promise.resolve(reported({ kind: 'adopted', ...(before !== undefined && { before }) }))
    },
  }
}

function makeHost(name: string): FakeHost {
  return {
    name,
    executed: [],
    runs: new Map(),
    faults: [],
    agent: 'inactive',
    isAgentEnabled: false,
    bootID: `${name}-boot-1`,
    boots: 1,
    clockSkewMs: 0,
    installation: undefined,
    running: undefined,
    contacts: 0,
  }
}

/** What the host itself decides about a start. */
function admit(
  host: FakeHost,
  request: RunRequest,
  nowMs: number,
): FakeRun | Extract<RunReport, { kind: 'refused' }> {
  const known = host.runs.get(request.runId)
  if (known !== undefined) return known
  const { installationID: id } = request
  const installation = (host.installation ??= { fence: 0 })
  if (installation.id !== undefined && installation.id !== id) {
    return refused('ForeignInstallation', `installation ${installation.id} owns this host`)
  }
  if (request.fence <= installation.fence)
    return refused('FenceStale', `fence ${request.fence}, seen ${installation.fence}`)
  if (request.fence > nowMs / 1000 + yearSeconds)
    return refused('FenceAbsurd', `fence ${request.fence} is far ahead`)
  if (host.running !== undefined)
    return refused('RunInProgress', `run ${host.running.request.runId} is going`)
  installation.fence = request.fence
  if (id !== undefined) installation.id = id
  const run: FakeRun = {
    request,
    startedAtMs: nowMs,
    steps: parseHostScript(request.script, request.environment),
    next: 0,
    dueAtMs: nowMs,
    stdout: '',
    stderr: '',
    outcome: undefined,
  }
  host.runs.set(request.runId, run)
  host.running = run
  const { runId, phase, fence, script, environment, signed } = request
  host.executed.push({
    ...{ runId, phase, fence, script, environment, startedAtMs: nowMs },
    ...(signed && { signed }),
  })
  advance(host, nowMs)
  return run
}

function refused(
  reason: Extract<RunReport, { kind: 'refused' }>['reason'],
  message: string,
): Extract<RunReport, { kind: 'refused' }> {
  return { kind: 'refused', reason, message }
}

/** When something happens next on its own: the end of a wait, or the deadline that the host keeps. */
function nextChange(run: FakeRun): number {
  return Math.min(run.dueAtMs, run.startedAtMs + run.request.timeoutMs)
}

/** Lets the running script do whatever is due by now. */
function advance(host: FakeHost, nowMs: number): void {
  const run = host.running
  if (run === undefined) return
  const deadlineAtMs = run.startedAtMs + run.request.timeoutMs
  while (host.running === run && run.dueAtMs <= Math.min(nowMs, deadlineAtMs)) step(host, run)
  if (host.running === run && nowMs >= deadlineAtMs) finish(host, { kind: 'timed-out' }, deadlineAtMs)
}

function step(host: FakeHost, run: FakeRun): void {
  const current = run.steps[run.next]
  run.next += 1
  switch (current?.kind) {
    case undefined:
      finish(host, { kind: 'exited', exitCode: 0 }, run.dueAtMs)
      return
    case 'print':
      run[current.stream] += `${redact(current.text, run.request.secrets)}\n`
      return
    case 'wait':
      run.dueAtMs += current.durationMs
      return
    case 'agent':
      host.isAgentEnabled = current.isEnabled
      host.agent = current.isEnabled ? 'active' : 'inactive'
      return
    case 'reboot':
      reboot(host, run.dueAtMs)
      return
    case 'exit':
      finish(host, { kind: 'exited', exitCode: current.code }, run.dueAtMs)
  }
}

/** Whatever runs ends, in that way. */
function finish(host: FakeHost, how: Pick<RunOutcome, 'kind' | 'exitCode'>, atMs: number): void {
  const run = host.running
  if (run === undefined) return
  host.running = undefined
  const tails = { stdoutTail: run.stdout, stderrTail: run.stderr }
  run.outcome = { ...how, ...tails, durationMs: atMs - run.startedAtMs }
}

function reboot(host: FakeHost, nowMs: number): void {
  finish(host, { kind: 'lost' }, nowMs)
  host.boots += 1
  host.bootID = `${host.name}-boot-${host.boots}`
  host.agent = host.isAgentEnabled ? 'active' : 'inactive'
}

function probeReport(host: FakeHost): ProbeReport {
  return {
    kind: 'probed',
    cpu: 4,
    memoryBytes: 8 * 1024 ** 3,
    arch: 'amd64',
    agent: host.agent,
    bootID: host.bootID,
    clockSkewMs: host.clockSkewMs,
    ...(host.installation && {
      installation: {
        ...host.installation,
        ...(host.running && { runningRunId: host.running.request.runId }),
      },
    }),
  }
}

function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (rest, secret) => (secret === '' ? rest : rest.split(secret).join('[REDACTED]')),
    text,
  )
}

function reported<T>(report: T): Reported<T> {
  return { report, hostKeys: [hostKey] }
}
