// Whether an install or a join may start, and with what: from everything that was looked at, without doing anything. The order
// of the questions is the order of the answers' worth: is it still wanted, is another phase due, is anything missing, would the
// join go wrong for certain.
import { createHash } from 'node:crypto'
import type { NodeClaim } from '../api/node-claim.ts'
import type { SSHHost } from '../api/ssh-host.ts'
import type { SSHJoinProfile } from '../api/ssh-join-profile.ts'
import type { SSHNodeClass } from '../api/ssh-node-class.ts'
import { SpecError } from '../errors/spec-error.ts'
import type { HostRecord } from '../hosts/host-record.ts'
import type { RunPhaseName } from '../hosts/phase-name.ts'
import { clockSkewLimitMs } from '../hosts/probe-rules.ts'
import { staticProviderID } from '../hosts/provider-id.ts'
import { verifiedOf } from '../hosts/verified-of.ts'
import { withoutUndefined } from '../hosts/without-undefined.ts'
import type { RunPhase } from '../messages/run-phase.ts'
import { makeJoinContext, makeLeaveContext, type JoinContext } from '../profile/join-context.ts'
import { joinSecretValues } from '../profile/join-secret.ts'
import { profileMarker, varsDigest } from '../profile/profile.ts'
import { redactionForms } from '../profile/redaction-forms.ts'
import { redactText } from '../profile/redactor.ts'
import { requireValidProfile } from '../profile/validate-profile.ts'
import { tokenExpiryMs, type BootstrapToken } from './bootstrap-token.ts'
import { leaveRecipeOf } from './choose-leave-script.ts'
import { clusterInfoOf } from './cluster-info.ts'
import type { JoinView } from './look-at-join.ts'
import { isNameTaken } from './own-nodes.ts'
import { preparePhase, type PreparedPhase } from './prepare-phase.ts'
import type { RunPlan, StartDecision } from './run-plan.ts'
import type { ParseKnownHost } from './ssh-credentials.ts'
import { sshTargetFrom } from './ssh-target.ts'

export interface StartQuestion {
  readonly record: HostRecord
  readonly message: RunPhase
  readonly view: JoinView
  /** Used if this becomes a join, else forgotten. */
  readonly token: BootstrapToken
  readonly nowMs: number
  /** How long a run may take that ends with its connection. */
  readonly attachedMs: number
  readonly parseKnownHost: ParseKnownHost
}

export function decideStart(question: StartQuestion): StartDecision {
  const { record, message, view, nowMs } = question
  const gone = isGone(view.nodeClaim, message)
  if (gone !== undefined) return { kind: 'gone', reason: gone }
  try {
    const found = requireObjects(view)
    const other = otherPhase(record, message, found)
    if (other !== undefined) return { kind: 'request', ...other }
    if (nowMs >= message.deadlineAtMs) return refuse(tooLate(message))
    const fault = message.phase === 'join' ? joinFault(record, view) : undefined
    return fault ?? { kind: 'run', plan: planRun(question, found) }
  } catch (error) {
    if (error instanceof SpecError) return refuse(error)
    throw error
  }
}

function isGone(nodeClaim: NodeClaim | undefined, message: RunPhase): string | undefined {
  if (nodeClaim === undefined || nodeClaim.metadata.uid !== message.nodeClaim?.uid) return 'NodeClaimGone'
  return nodeClaim.metadata.deletionTimestamp === undefined ? undefined : 'NodeClaimDeleting'
}

interface Objects {
  readonly nodeClaim: NodeClaim
  readonly nodeClass: SSHNodeClass
  readonly profile: SSHJoinProfile
  readonly sshHost: SSHHost
}

function requireObjects({ nodeClaim, nodeClass, profile, sshHost }: JoinView): Objects {
  if (nodeClaim === undefined || nodeClass === undefined) {
    throw missing('SSHNodeClass', nodeClaim?.spec.nodeClassRef.name, 'NodeClassNotFound')
  }
  if (profile === undefined) {
    throw missing('SSHJoinProfile', nodeClass.spec.joinProfileRef.name, 'ProfileNotFound')
  }
  if (sshHost === undefined) throw missing('SSHHost', undefined, 'HostNotFound')
  return { nodeClaim, nodeClass, profile, sshHost }
}

/** Install is due when another version or other vars were installed than the node class wants now. */
function otherPhase(
  record: HostRecord,
  { phase }: RunPhase,
  { profile, nodeClass }: Objects,
): { readonly phase: 'install' | 'join'; readonly reason: string } | undefined {
  const isInstalled =
    record.installed === profileMarker(profile) &&
    record.installedVars === varsDigest(profile, nodeClass.spec.vars)
  if (phase === 'join') return isInstalled ? undefined : { phase: 'install', reason: 'NotInstalled' }
  return isInstalled ? { phase: 'join', reason: 'Installed' } : undefined
}

function joinFault(record: HostRecord, { node }: JoinView): StartDecision | undefined {
  if (isNameTaken(node, record)) {
    const name = node?.metadata.name ?? ''
    const message = `Cannot join as Node "${name}": another machine has that name, delete that Node or the NodeClaim`
    return { kind: 'refuse', reason: 'NodeNameTaken', message, blamesHost: false }
  }
  const skewMs = record.clockSkewMs ?? 0
  if (Math.abs(skewMs) <= clockSkewLimitMs) return undefined
  const message = `Cannot join: the clock of the host is off by ${Math.round(skewMs / 1000)} s, at most ${clockSkewLimitMs / 1000} s are allowed`
  return { kind: 'refuse', reason: 'ClockSkew', message, blamesHost: true }
}

function planRun(question: StartQuestion, found: Objects): RunPlan {
  const { message, view, token, nowMs, attachedMs, parseKnownHost } = question
  const { nodeClaim, nodeClass, profile, sshHost } = found
  const record = asSaidNow(question.record, sshHost)
  // It may have changed since its class was found Ready.
  requireValidProfile(profile)
  const target = sshTargetFrom(record, view.sshKey, parseKnownHost)
  const isJoin = message.phase === 'join'
  const context = joinContextOf(question, found)
  const prepare = (phase: RunPhaseName, context: JoinContext) =>
    preparePhase(record, { profile, phase, context, nowMs, attachedMs })
  const rendered = prepare(isJoin ? 'join' : 'install', context)
  const forms = redactionForms(rendered.secrets)
  const common = {
    target,
    request: requestOf(isJoin ? 'join' : 'install', rendered),
    redact: (text: string) => redactText(text, forms),
  }
  if (!isJoin) {
    return {
      ...common,
      installs: { marker: rendered.marker, vars: varsDigest(profile, nodeClass.spec.vars) },
    }
  }
  // A host that could not be left again is not joined.
  prepare('leave', makeLeaveContext(record))
  const expiresAtMs = tokenExpiryMs(rendered.timeoutMs, nowMs)
  return {
    ...common,
    recipe: leaveRecipeOf(profile, sha256),
    token: { token, expiresAtMs, nodeClaim: nodeClaim.metadata.name },
  }
}

/** Whose signature counts is said by the SSHHost as it is now, unless it was made anew for another machine. */
function asSaidNow(record: HostRecord, { spec }: SSHHost): HostRecord {
  if (spec.address !== record.address) return record
  return withoutUndefined({ ...record, verified: verifiedOf(spec) })
}

function joinContextOf(
  { record, view, token }: StartQuestion,
  { nodeClaim, nodeClass }: Objects,
): JoinContext {
  const { spec } = nodeClass
  if (spec.joinSecretRef !== undefined && view.joinSecret === undefined) {
    throw missing('join Secret', `${record.key.namespace}/${spec.joinSecretRef.name}`, 'JoinSecretNotFound')
  }
  return makeJoinContext({
    host: { address: record.address, nodeAddress: record.nodeAddress },
    cluster: clusterInfoOf(nodeClass, view.clusterInfo),
    bootstrapToken: token.text,
    nodeName: nodeClaim.metadata.name,
    ...(spec.providerIDSource === 'Static' ? { providerID: staticProviderID(record.key) } : {}),
    labels: nodeClaim.metadata.labels ?? {},
    taints: nodeClaim.spec.taints ?? [],
    vars: spec.vars,
    secrets: view.joinSecret && joinSecretValues(view.joinSecret),
  })
}

export function requestOf(phase: RunPhase['phase'], prepared: PreparedPhase): RunPlan['request'] {
  const { marker, ...request } = prepared
  return { phase, profile: marker, ...request }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function missing(kind: string, name: string | undefined, reason: string): SpecError {
  const what = name === undefined ? kind : `${kind} "${name}"`
  return new SpecError(`Cannot start: ${what} does not exist, create it`, { reason })
}

function tooLate({ phase, requestedAtMs, deadlineAtMs }: RunPhase): SpecError {
  const seconds = Math.round((deadlineAtMs - requestedAtMs) / 1000)
  return new SpecError(`Cannot start ${phase}: its request is older than ${seconds} s, ask for it again`, {
    reason: 'RequestExpired',
  })
}

function refuse({ reason, message }: SpecError): StartDecision {
  return { kind: 'refuse', reason: reason ?? 'SpecInvalid', message, blamesHost: false }
}
