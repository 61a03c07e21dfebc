// Everything a script may be told, named as Go templates name it. Each phase sees its part and no more.
import { z } from 'zod'
import { kubeletMaySelfSet } from '../api/kubelet-labels.ts'
import { isLabelValue, isQualifiedName } from '../api/label-syntax.ts'
import { taints as fixedTaints } from '../api/names.ts'
import { formatTaintsFlag, isSameTaint, type Taint } from '../api/taint.ts'
import { SpecError } from '../errors/spec-error.ts'
import { seesAddressesOnly, type ScriptPhase } from './script-phase.ts'
import type { TemplateData } from './template/values.ts'

const Text = z.string().default('')
const Texts = z.record(z.string(), z.string()).nullable().default(null)

export const JoinContext = z.strictObject({
  ClusterEndpoint: Text,
  /** base64 of the PEM bundle, on one line. */
  ClusterCACert: Text,
  BootstrapToken: Text,
  NodeName: Text,
  ProviderID: Text,
  /** `k=v` joined with commas. */
  NodeLabels: Text,
  /** As the kubelet's --register-with-taints takes them. */
  RegisterWithTaints: Text,
  HostAddress: Text,
  NodeAddress: Text,
  Vars: Texts,
  Secrets: Texts,
})
export type JoinContext = Readonly<z.infer<typeof JoinContext>>

const emptyContext: JoinContext = JoinContext.parse({})

/** What a join context is made from. */
export interface JoinFacts {
  readonly host: { readonly address: string; readonly nodeAddress?: string | undefined }
  readonly cluster?: { readonly endpoint: string; readonly caBundle?: string | undefined } | undefined
  readonly bootstrapToken?: string
  /** Name of the NodeClaim and of its Node. */
  readonly nodeName: string
  /** Absent where the host's own mechanism sets it (Adopt). */
  readonly providerID?: string
  readonly labels: Readonly<Record<string, string>>
  /** spec.taints of the NodeClaim, without startupTaints: those are put on the Node at registration. */
  readonly taints: readonly Taint[]
  readonly vars?: Readonly<Record<string, string>> | undefined
  readonly secrets?: Readonly<Record<string, string>> | undefined
}

/** Throws SpecError (CABundleInvalid, TaintInvalid). */
export function makeJoinContext(facts: JoinFacts): JoinContext {
  const { host, cluster } = facts
  return {
    ClusterEndpoint: cluster?.endpoint ?? '',
    ClusterCACert: oneLineBase64(cluster?.caBundle ?? ''),
    BootstrapToken: facts.bootstrapToken ?? '',
    NodeName: facts.nodeName,
    ProviderID: facts.providerID ?? '',
    NodeLabels: nodeLabels(facts.labels),
    RegisterWithTaints: registerWithTaints(facts.taints),
    HostAddress: host.address,
    NodeAddress: host.nodeAddress ?? host.address,
    Vars: facts.vars ?? null,
    Secrets: facts.secrets ?? null,
  }
}

/** For a leave, which knows the host and nothing else. */
export function makeLeaveContext(host: JoinFacts['host']): JoinContext {
  return { ...emptyContext, HostAddress: host.address, NodeAddress: host.nodeAddress ?? host.address }
}

/**
 * The labels that the kubelet sets itself, sorted. Left out are those it may not set, which would make it exit, and those
 * that are no labels, which it could not parse: the control plane applies or reports them.
 */
export function nodeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .filter(([key, value]) => isQualifiedName(key) && isLabelValue(value) && kubeletMaySelfSet(key))
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',')
}

/** The taint that keeps pods away until registration comes first. */
export function registerWithTaints(taints: readonly Taint[]): string {
  const { unregistered } = fixedTaints
  return formatTaintsFlag([unregistered, ...taints.filter((taint) => !isSameTaint(taint, unregistered))])
}

function oneLineBase64(text: string): string {
  const line = text.replace(/\s+/g, '')
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(line)) return line
  throw new SpecError(
    'Cannot use the CA bundle of the cluster: it is not base64, encode the PEM file with base64',
    {
      reason: 'CABundleInvalid',
    },
  )
}

/** leave and uninstall see two addresses; install everything but the token, which is minted for a join. */
export function contextForPhase(phase: ScriptPhase, context: JoinContext): JoinContext {
  if (seesAddressesOnly(phase)) {
    return { ...emptyContext, HostAddress: context.HostAddress, NodeAddress: context.NodeAddress }
  }
  return phase === 'install' ? { ...context, BootstrapToken: '' } : context
}

/** In the order in which Go prints the fields. */
export function toTemplateData(context: JoinContext): TemplateData {
  return JoinContext.parse(context)
}

/** Every value that must not be seen in any output: the token, its secret half, what the join Secret holds. */
export function secretValues({ BootstrapToken, Secrets }: JoinContext): readonly string[] {
  const tokenSecret = BootstrapToken.split('.', 2)[1] ?? ''
  const values = [BootstrapToken, tokenSecret, ...Object.values(Secrets ?? {})]
  return [...new Set(values.filter((value) => value.trim() !== ''))]
}
