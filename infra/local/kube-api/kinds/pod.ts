import {
  isRecord,
  isSame,
  listOf,
  mapFields,
  printed,
  recordOf,
  textOf,
  withoutField,
  type JsonRecord,
} from '../json.ts'
import type { KindRules } from '../resource-type.ts'
import { causeForbidden, causeRequired, type Cause } from '../status-error.ts'

const defaultGraceSeconds = 30
/** What the admission plug-in adds: a pod stays five minutes on a node that is lost. */
const lostNodeTolerations = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}))
const changeable = [
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
  'schedulingGates',
]

export const podRules: KindRules = {
  prepareCreate(object) {
    const spec = withSpecDefaults(recordOf(object['spec']))
    return { ...object, spec, status: { phase: 'Pending', qosClass: qosClass(spec) } }
  },
  prepareStatus(next) {
    const status = recordOf(next['status'])
    const conditions = listOf(status['conditions'])
    if (conditions.length === 0) return next
    return { ...next, status: { ...status, conditions: conditions.map(condition) } }
  },
  validate(object, current) {
    const spec = recordOf(object['spec'])
    return [...containerCauses(spec), ...(current ? changeCauses(spec, recordOf(current['spec'])) : [])]
  },
  gracePeriodSeconds(object, asked) {
    const phase = textOf(recordOf(object['status'])['phase'])
    const spec = recordOf(object['spec'])
    // Nobody would confirm the end of a pod that no kubelet has, or that ended already.
    if (textOf(spec['nodeName']) === '' || ['Succeeded', 'Failed'].includes(phase)) return 0
    const own = spec['terminationGracePeriodSeconds']
    return asked ?? (typeof own === 'number' ? own : defaultGraceSeconds)
  },
}

function withSpecDefaults(spec: JsonRecord): JsonRecord {
  const containers = listOf(spec['containers']).map(withContainerDefaults)
  const inits = listOf(spec['initContainers']).map(withContainerDefaults)
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: defaultGraceSeconds,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    schedulerName: 'default-scheduler',
    securityContext: {},
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    ...spec,
    containers,
    ...(inits.length > 0 && { initContainers: inits }),
    tolerations: withLostNodeTolerations(listOf(spec['tolerations'])),
  }
}

function withContainerDefaults(value: unknown): unknown {
  if (!isRecord(value)) return value
  const resources = recordOf(value['resources'])
  const limits = mapFields(recordOf(resources['limits']), printed)
  const requests = { ...limits, ...mapFields(recordOf(resources['requests']), printed) }
  return {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    ...value,
    resources: {
      ...resources,
      ...(Object.keys(limits).length > 0 && { limits }),
      ...(Object.keys(requests).length > 0 && { requests }),
    },
  }
}

function withLostNodeTolerations(tolerations: readonly unknown[]): readonly unknown[] {
  const isCovered = (key: string): boolean =>
    tolerations.filter(isRecord).some((toleration) => {
      const own = textOf(toleration['key'])
      const effect = textOf(toleration['effect'])
      return (own === key || own === '') && (effect === 'NoExecute' || effect === '')
    })
  return [...tolerations, ...lostNodeTolerations.filter(({ key }) => !isCovered(key))]
}

function qosClass(spec: JsonRecord): string {
  const all = [...listOf(spec['containers']), ...listOf(spec['initContainers'])]
  const parts = all.map((container) => recordOf(recordOf(container)['resources']))
  if (parts.every(({ requests, limits }) => isEmpty(requests) && isEmpty(limits))) return 'BestEffort'
  const isGuaranteed = parts.every(
    ({ requests, limits }) =>
      ['cpu', 'memory'].every((name) => recordOf(limits)[name] !== undefined) && isSame(requests, limits),
  )
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}

function isEmpty(value: unknown): boolean {
  return Object.keys(recordOf(value)).length === 0
}

function condition(value: unknown): JsonRecord {
  return { lastProbeTime: null, lastTransitionTime: null, ...recordOf(value) }
}

function containerCauses(spec: JsonRecord): readonly Cause[] {
  const containers = listOf(spec['containers'])
  if (containers.length === 0) return [causeRequired('spec.containers')]
  return containers.flatMap((container, index) =>
    ['name', 'image'].flatMap((key) =>
      textOf(recordOf(container)[key]) === ''
        ? [causeRequired(`spec.containers[${String(index)}].${key}`)]
        : [],
    ),
  )
}

function changeCauses(spec: JsonRecord, before: JsonRecord): readonly Cause[] {
  if (isSame(fixedPart(spec), fixedPart(before))) return []
  const text =
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'
  return [causeForbidden('spec', text)]
}

function fixedPart(spec: JsonRecord): JsonRecord {
  const kept = changeable.reduce(withoutField, spec)
  const withoutImages = (list: unknown): readonly unknown[] =>
    listOf(list).map((container) => withoutField(recordOf(container), 'image'))
  return {
    ...kept,
    containers: withoutImages(kept['containers']),
    initContainers: withoutImages(kept['initContainers']),
  }
}
