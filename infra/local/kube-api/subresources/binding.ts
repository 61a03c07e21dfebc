import type { ApiContext } from '../api-context.ts'
import type { ApiResponse } from '../api-request.ts'
import { listOf, recordOf, textOf } from '../json.ts'
import { timestamp } from '../kube-object.ts'
import { collectionOf } from '../resource-type.ts'
import { badRequest, conflict } from '../status-error.ts'
import type { Target } from '../verbs/delete.ts'

/** Puts a pod on a node, once. */
export function bindPod(context: ApiContext, { type, current: pod }: Target, body: unknown): ApiResponse {
  const target = recordOf(recordOf(body)['target'])
  const nodeName = textOf(target['name'])
  if (nodeName === '' || !['', 'Node'].includes(textOf(target['kind']))) {
    throw badRequest('Binding is invalid: target.name: Required value, target.kind must be Node')
  }
  const spec = recordOf(pod['spec'])
  const assigned = textOf(spec['nodeName'])
  const subject = { group: '', plural: 'pods/binding', kind: 'Binding' }
  const refused =
    pod.metadata.deletionTimestamp === undefined
      ? assigned !== '' && `pod ${pod.metadata.name} is already assigned to node "${assigned}"`
      : `pod ${pod.metadata.name} is being deleted, cannot be assigned to a host`
  if (refused !== false) throw conflict(subject, pod.metadata.name, refused)
  const status = recordOf(pod['status'])
  const others = listOf(status['conditions']).filter((item) => recordOf(item)['type'] !== 'PodScheduled')
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(context.clock.nowMs()),
  }
  context.store.put(collectionOf(type), {
    ...pod,
    spec: { ...spec, nodeName },
    status: { ...status, conditions: [...others, scheduled] },
  })
  return {
    kind: 'json',
    status: 201,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  }
}
