// Verified mode: a host's login reaches nothing but a shim, and the shim runs nothing but what an offline key has signed. Runs
// are those of every other host where the shim reads envelope 2, and last as long as their connection where it does not.
import type { Random } from '../ambient/ports.ts'
import { lostRun, runAttached } from './attached-run.ts'
import { probeEnvelopeV1 } from './envelope-v1.ts'
import { attachEnvelope, probeEnvelope, startEnvelope } from './envelope-v2.ts'
import { contactHost, lostContact, type Ask, type Contact, type ContactOptions } from './host-contact.ts'
import { newMarker } from './marker.ts'
import type { HostRuns, ProbeReport, RemoteResult, Reported, RunReport, SshTarget } from './ports.ts'
import { toProbeReport, unreadable } from './probe-answer.ts'
import { toRunReport } from './run-answer.ts'
import { noShim, shimRefusal } from './shim-refusal.ts'

export interface VerifiedHostRunsOptions extends ContactOptions {
  readonly random: Random
}

type VerifiedTarget = SshTarget & { readonly verified: { readonly shimCommand: string } }
type Unable = Extract<RunReport, { kind: 'unable' }>

export function makeVerifiedHostRuns(options: VerifiedHostRunsOptions): HostRuns {
  const ask = (target: VerifiedTarget, question: Omit<Ask, 'command'>) =>
    contactHost(options, target, { ...question, command: target.verified.shimCommand })
  return {
    async start(host, request, watch) {
      const target = requireVerified(host)
      const { manifest, signature } = request.signed ?? {}
      if (manifest !== undefined) {
        const marker = newMarker(options.random)
        const stdin = startEnvelope(marker, request, { manifest, waitMs: watch.waitMs })
        const found = await ask(target, { ...watch, marker, stdin })
        if (!readsOnlyV1(found.result)) return reportOf(target, found, 0)
        if (signature === undefined) return { report: tooOld(target), hostKeys: found.result.hostKeys }
      }
      if (signature === undefined) return { report: notSigned(target, request.phase), hostKeys: [] }
      return runAttached(options, target, { request, signature, watch })
    },
    async attach(host, run, watch) {
      const target = requireVerified(host)
      const marker = newMarker(options.random)
      const offset = watch.offset ?? 0
      const stdin = attachEnvelope(marker, { runId: run.runId, waitMs: watch.waitMs, offset })
      const found = await ask(target, { ...watch, marker, stdin })
      if (readsOnlyV1(found.result)) return { report: lostRun(), hostKeys: found.result.hostKeys }
      return reportOf(target, found, offset)
    },
    async probe(host, { agentUnits, signal }) {
      const target = requireVerified(host)
      const marker = newMarker(options.random)
      const found = await ask(target, { marker, stdin: probeEnvelope(marker, agentUnits), waitMs: 0, signal })
      if (!readsOnlyV1(found.result)) return probeOf(target, found)
      const facts = await ask(target, { marker, stdin: probeEnvelopeV1(), waitMs: 0, signal })
      return probeOfV1(target, facts, agentUnits)
    },
  }
}

function requireVerified(target: SshTarget): VerifiedTarget {
  const { verified } = target
  if (verified !== undefined) return { ...target, verified }
  throw new TypeError(`Cannot reach a shim on "${target.label}": the host is not in mode Verified`)
}

/** A shim that reads envelope 2 names it when it refuses one. */
function readsOnlyV1({ reason, exitCode, stderr }: RemoteResult): boolean {
  return reason === 'exited' && exitCode === 4 && !stderr.includes('kpssh-shim: envelope 2: ')
}

function reportOf(target: VerifiedTarget, found: Contact, offset: number): Reported<RunReport> {
  const report = toRunReport(found.answer, offset) ?? unanswered(target, found)
  return { report, hostKeys: found.result.hostKeys }
}

function unanswered(target: VerifiedTarget, found: Contact): RunReport {
  const { result, answer } = found
  const refusal = answer.sections.has('started') ? undefined : shimRefusal(target, result)
  if (refusal !== undefined) return refusal
  if (result.reason !== 'exited' || answer.sections.size > 0) return lostContact(target.label, found)
  return noShim(target, target.verified.shimCommand, result)
}

function probeOf(target: VerifiedTarget, found: Contact): Reported<ProbeReport | Unable> {
  const { hostKeys } = found.result
  const facts = found.answer.sections.get('facts')
  if (found.answer.isComplete && facts !== undefined) {
    const report = toProbeReport(target.label, facts.body, found.answeredAtMs)
    return { report: { ...report, envelope: 2 }, hostKeys }
  }
  const { report } = reportOf(target, found, 0)
  if (report.kind === 'unable') return { report, hostKeys }
  throw unreadable(target.label, 'everything')
}

/** Four lines: CPUs, memory in kB, machine, and what systemd says of the kubelet, if anything. */
function probeOfV1(
  target: VerifiedTarget,
  { result, answeredAtMs }: Contact,
  agentUnits: readonly string[],
): Reported<ProbeReport | Unable> {
  const { hostKeys } = result
  if (result.reason !== 'exited') throw unreadable(target.label, 'everything')
  if (result.exitCode !== 0) {
    const report = shimRefusal(target, result) ?? noShim(target, target.verified.shimCommand, result)
    return { report, hostKeys }
  }
  const [cpu = '', memory = '', machine = '', state = ''] = result.stdout.trim().split('\n')
  const facts = {
    cpu,
    memory_kb: memory,
    machine,
    now_ms: String(answeredAtMs),
    boot: 'unknown',
    states: agentUnits.some((unit) => /^kubelet(\.service)?$/.test(unit)) ? state : '',
    installation: '',
    fence: '0',
    running: '',
  }
  const body = Object.entries(facts).map(([name, value]) => `${name}=${value}`)
  return { report: { ...toProbeReport(target.label, body.join('\n'), answeredAtMs), envelope: 1 }, hostKeys }
}

function tooOld(target: VerifiedTarget): Unable {
  const message = `Cannot run anything on "${target.label}": its shim reads only envelope 1, and there is no signature of the script itself, install the shim of this version or sign the script as well`
  return { kind: 'unable', reason: 'ShimTooOld', message }
}

function notSigned(target: VerifiedTarget, phase: string): Unable {
  const message = `Cannot run ${phase} on "${target.label}": it is not signed, its profile must have a manifest or a signature for it`
  return { kind: 'unable', reason: 'NotSigned', message }
}
