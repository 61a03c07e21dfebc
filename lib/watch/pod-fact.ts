// What is kept of a pod. Pods of one workload differ in name and node only: what they share is a template, stored once.
import { podNeedsOf } from '../api/pod-needs.ts'
import type { Pod } from '../api/pod.ts'
import { annotations } from '../api/names.ts'
import { parseInstantMs } from '../api/rfc3339.ts'
import type { PendingPod, PodShape } from '../messages/cluster-observed.ts'

/** A shape before it is known which labels matter and where such pods run. */
export type PodTemplate = Omit<PodShape, 'nodes'>

export type PodFact =
  | { readonly kind: 'bound'; readonly nodeName: string; readonly template: PodTemplate }
  | {
      readonly kind: 'pending'
      readonly pod: Omit<PendingPod, 'labels' | 'needs'>
      readonly template: PodTemplate
    }

const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

/** Undefined for a pod that says nothing to anybody: not bound, and not (yet) found unschedulable. */
export function podFactOf(pod: Pod): PodFact | undefined {
  const nodeName = pod.spec.nodeName ?? ''
  if (nodeName !== '') return { kind: 'bound', nodeName, template: podTemplateOf(pod) }
  const sinceMs = unschedulableSinceMs(pod)
  if (sinceMs === undefined || !wantsNode(pod)) return undefined
  const { uid, namespace = '', name, creationTimestamp } = pod.metadata
  const createdAtMs = parseInstantMs(creationTimestamp) ?? sinceMs
  return {
    kind: 'pending',
    pod: { uid, namespace, name, createdAtMs, unschedulableSinceMs: sinceMs },
    template: podTemplateOf(pod),
  }
}

/** The reason alone counts, not the condition's status; a gated pod has another reason. */
function unschedulableSinceMs(pod: Pod): number | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (condition?.reason !== 'Unschedulable') return undefined
  return parseInstantMs(condition.lastTransitionTime) ?? parseInstantMs(pod.metadata.creationTimestamp) ?? 0
}

/** A pod that is about to preempt others, of a DaemonSet or a mirror pod needs no new node. */
function wantsNode(pod: Pod): boolean {
  if ((pod.status?.nominatedNodeName ?? '') !== '') return false
  return !(pod.metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind }) =>
      (kind === 'DaemonSet' && apiVersion === 'apps/v1') || (kind === 'Node' && apiVersion === 'v1'),
  )
}

function podTemplateOf(pod: Pod): PodTemplate {
  const { namespace = '', labels = {}, annotations: notes = {}, ownerReferences = [] } = pod.metadata
  const doNotDisrupt = notes[annotations.doNotDisrupt]
  return {
    namespace,
    labels,
    needs: podNeedsOf(pod),
    ownerKind: ownerReferences.find(({ controller }) => controller === true)?.kind ?? '',
    ...(doNotDisrupt === undefined ? {} : { doNotDisrupt }),
    ...stageOf(pod),
    priority: pod.spec.priority ?? 0,
    deletionCost: integerOf(notes[deletionCostAnnotation]),
  }
}

function stageOf({ metadata, status }: Pod): Pick<PodTemplate, 'isTerminal' | 'isTerminating' | 'isReady'> {
  return {
    isTerminal: status?.phase === 'Succeeded' || status?.phase === 'Failed',
    isTerminating: metadata.deletionTimestamp !== undefined,
    isReady: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
  }
}

function integerOf(text: string | undefined): number {
  return text !== undefined && /^-?[0-9]{1,10}$/.test(text) ? Number(text) : 0
}
