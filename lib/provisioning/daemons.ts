// DaemonSets, which put a pod on every node they select: what they need is not there for others.
import { addAmounts, amountsOf, noAmounts, type Amounts } from '../api/amounts.ts'
import type { DaemonSet } from '../api/daemon-set.ts'
import { labels } from '../api/names.ts'
import { podNeedsOf } from '../api/pod-needs.ts'
import type { HostPort, PodNeeds } from '../api/pod.ts'
import type { Taint } from '../api/taint.ts'
import { toleratesTaint } from '../api/toleration.ts'
import {
  combine,
  conflictingKey,
  requirementsOf,
  requirementsOfLabels,
  wellKnownLabels,
  type Requirements,
} from './requirements.ts'

export interface Daemon {
  readonly needs: PodNeeds
  readonly requests: Amounts
  /** Alternatives, each with the node selector in it. */
  readonly alternatives: readonly Requirements[]
}

export interface Overhead {
  readonly requests: Amounts
  readonly hostPorts: readonly HostPort[]
}

/** Throws SpecError for affinity that nobody can read. */
export function daemonOf(daemonSet: DaemonSet): Daemon {
  const needs = podNeedsOf(daemonSet.spec.template)
  const selector = requirementsOfLabels(needs.nodeSelector)
  const required = needs.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = (required?.nodeSelectorTerms ?? [])
    .map(({ matchExpressions = [] }) => requirementsOf(matchExpressions))
    .filter((requirements) => requirements.size > 0)
  const alternatives = required === undefined ? [selector] : terms.map((term) => combine(selector, term))
  return { needs, requests: amountsOf(needs.requests), alternatives }
}

/** A node that will come up from a template on a host. Its startup taints do not keep daemons away. */
export function overheadOnNew(
  daemons: readonly Daemon[],
  node: { readonly requirements: Requirements; readonly taints: readonly Taint[] },
): Overhead {
  const cameUp = requirementsOfLabels({ [labels.registered]: 'true', [labels.initialized]: 'true' })
  const requirements = combine(node.requirements, cameUp)
  return sumOf(
    daemons.filter(
      (daemon) => toleratesAll(daemon, node.taints) && isSelected(daemon, requirements, wellKnownLabels),
    ),
  )
}

/** A node that is there: its labels are all it has. */
export function overheadOnExisting(
  daemons: readonly Daemon[],
  node: { readonly requirements: Requirements; readonly taints: readonly Taint[] },
): Overhead {
  return sumOf(
    daemons.filter(
      (daemon) => toleratesAll(daemon, node.taints) && isSelected(daemon, node.requirements, new Set()),
    ),
  )
}

function sumOf(daemons: readonly Daemon[]): Overhead {
  return {
    requests: daemons.length === 0 ? noAmounts : addAmounts(...daemons.map(({ requests }) => requests)),
    hostPorts: daemons.flatMap(({ needs }) => needs.hostPorts),
  }
}

/** PreferNoSchedule keeps no daemon away. */
function toleratesAll({ needs }: Daemon, taints: readonly Taint[]): boolean {
  return taints.every(
    (taint) => taint.effect === 'PreferNoSchedule' || toleratesTaint(needs.tolerations, taint),
  )
}

function isSelected(
  { alternatives }: Daemon,
  requirements: Requirements,
  mayBeUndefined: ReadonlySet<string>,
): boolean {
  return alternatives.some(
    (alternative) => conflictingKey(requirements, alternative, mayBeUndefined) === undefined,
  )
}
